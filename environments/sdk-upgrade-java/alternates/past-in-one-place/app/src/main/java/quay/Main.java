package quay;

/** Serves the quay desk. */
public final class Main {
  public static void main(String[] arguments) throws Exception {
    Config config = Config.from(System.getenv());
    Server server = new Desk(new Records(config.recordsPath()), config.connect()).serve(config.host(), config.port());
    System.out.println("http://" + config.host() + ":" + server.port());
  }

  private Main() {}
}
