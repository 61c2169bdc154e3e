"""Serve the front desk."""

import waitress

from .app import create_app
from .config import Config

config = Config.from_environment()
waitress.serve(create_app(config), host=config.host, port=config.port, threads=4)
