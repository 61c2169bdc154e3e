import { Link } from "react-router-dom";

export function Missing() {
  return (
    <section className="narrow">
      <h1>This shelf is empty</h1>
      <p className="lead">
        There is no such page. <Link to="/">Back to the front</Link>
      </p>
    </section>
  );
}
