#!/bin/sh
# Write our own records anew from what is noted at Stripe. Build before: mvn -o -q package
cd "$(dirname "$0")" || exit 1
exec java -Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "target/classes:$(cat target/classpath.txt)" quay.LinkRecords
