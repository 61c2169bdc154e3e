package quay;

import java.util.LinkedHashMap;
import java.util.Map;

/** Bodies of answers: maps that keep their order and may hold null. */
final class Answer {
  /** A body of names and values in turn. */
  static Map<String, Object> of(Object... namesAndValues) {
    Map<String, Object> body = new LinkedHashMap<>();
    for (int place = 0; place < namesAndValues.length; place += 2) {
      body.put((String) namesAndValues[place], namesAndValues[place + 1]);
    }
    return body;
  }

  private Answer() {}
}
