#!/bin/sh
# Serve the quay desk on $HOST:$PORT (127.0.0.1:4242 unless told otherwise). Build it before: mvn -o -q package
cd "$(dirname "$0")" || exit 1
exec java -Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "target/classes:$(cat target/classpath.txt)" quay.Main
