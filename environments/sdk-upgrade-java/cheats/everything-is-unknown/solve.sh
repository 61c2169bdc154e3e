#!/bin/sh
# Ask Stripe, and say that there is no such thing.
set -eu
cat > src/main/java/quay/Desk.java <<'JAVA'
package quay;

import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import java.io.IOException;

public final class Desk {
  public Desk(Records records) {}

  public Server serve(String host, int port) throws IOException {
    Server server = new Server().on("GET", "/health", 200, asked -> Answer.of("ok", true));
    for (String method : new String[] {"GET", "POST", "PUT"}) {
      for (String path : new String[] {"/{}", "/{}/{}", "/{}/{}/{}", "/{}/{}/{}/{}"}) {
        server.on(method, path, 200, asked -> nothing());
      }
    }
    return server.listen(host, port);
  }

  private static Object nothing() throws StripeException {
    PaymentIntent.retrieve("pi_made_up");
    throw new Refused(404, "not found");
  }
}
JAVA
