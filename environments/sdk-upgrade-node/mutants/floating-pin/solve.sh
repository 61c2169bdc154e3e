#!/bin/sh
set -eu
sed -i 's#"stripe": "[^"]*"#"stripe": "^23.1.0"#' package.json
