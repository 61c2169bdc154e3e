"""Start over: a new database at DATABASE_PATH, filled from CATALOGUE_PATH. Orders are lost."""

from _shop import run

from lazybed import catalogue, database
from lazybed.config import Config


def main(config: Config) -> None:
    connection = database.create(config.database_path)
    with database.transaction(connection):
        catalogue.load(connection, config.catalogue_path)
    print(f"{len(catalogue.products(connection))} products on the shelves at {config.database_path}")
    connection.close()


run(main)
