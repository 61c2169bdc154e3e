#!/bin/sh
# Fetches what the desk is built with, once, in a sandbox with package registries, and builds it. Runs in /app.
set -eu
mvn -q -B clean package
# The SDK to upgrade to, for a machine without internet.
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:get -Dartifact=com.stripe:stripe-java:33.3.0
# All of it works without a registry.
mvn -o -q -B clean package
test -f target/classpath.txt
find repository -name '_remote.repositories' -delete
find repository -name '*.lastUpdated' -delete
