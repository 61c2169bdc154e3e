package quay;

import com.stripe.Stripe;
import com.stripe.StripeClient;
import java.nio.file.Path;
import java.util.Map;

/** Settings, all of them from environment variables. */
public record Config(String stripeSecretKey, Path recordsPath, String host, int port) {

  /** A client of an account. */
  public static StripeClient client(String key) {
    return StripeClient.builder().setApiKey(key).setMaxNetworkRetries(2).build();
  }

  public static Config from(Map<String, String> environment) {
    String key = environment.getOrDefault("STRIPE_SECRET_KEY", "").strip();
    if (!key.startsWith("sk_")) {
      throw new IllegalArgumentException("STRIPE_SECRET_KEY must be set to the account's sk_… key");
    }
    String port = environment.getOrDefault("PORT", "4242");
    if (!port.matches("\\d+")) {
      throw new IllegalArgumentException("PORT must be a number, not " + port);
    }
    return new Config(
        key,
        Path.of(environment.getOrDefault("RECORDS_PATH", "var/records.tsv")),
        environment.getOrDefault("HOST", "127.0.0.1"),
        Integer.parseInt(port));
  }

  /**
   * Tells the SDK who we are, once for the whole process. The API version is the SDK's own, so that the account's default
   * never decides what we get.
   */
  public StripeClient connect() {
    Stripe.apiKey = stripeSecretKey;
    Stripe.setMaxNetworkRetries(2);
    return client(stripeSecretKey);
  }
}
