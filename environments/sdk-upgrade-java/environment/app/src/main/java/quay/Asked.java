package quay;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;
import java.util.Map;

/** A request: what stood for the {} of its address, its query, and its body. */
public record Asked(List<String> parts, Map<String, String> query, JsonObject body) {

  public String part(int place) {
    return parts.get(place);
  }

  /** A text of the body; null when it is something else, or empty. */
  public String text(String name) {
    JsonElement found = body.get(name);
    boolean text = found instanceof JsonPrimitive primitive && primitive.isString() && !primitive.getAsString().isEmpty();
    return text ? found.getAsString() : null;
  }

  /** A whole number of the body; null when it is something else. */
  public Long whole(String name) {
    JsonElement found = body.get(name);
    boolean number = found instanceof JsonPrimitive primitive && primitive.isNumber();
    return number && found.getAsString().matches("-?\\d{1,15}") ? found.getAsLong() : null;
  }

  /** Whether the body says anything of it. */
  public boolean says(String name) {
    return body.has(name) && !body.get(name).isJsonNull();
  }
}
