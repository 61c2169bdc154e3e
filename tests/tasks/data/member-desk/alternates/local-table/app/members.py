import json
import os
import sqlite3
import subprocess
import threading

LOCK = threading.Lock()


def ask(*arguments):
    command = ["curl", "-s", "-H", "Authorization: Bearer " + os.environ["STRIPE_SECRET_KEY"], *arguments]
    return json.loads(subprocess.check_output(command))


def sign_up(body, key):
    if "email" not in body:
        return 400, {}
    with LOCK, sqlite3.connect("members.db") as database:
        database.execute("create table if not exists members (key text primary key, member text)")
        known = database.execute("select member from members where key = ?", (key,)).fetchone()
        if known:
            return 201, {"member": known[0]}
        ask("-G", "https://api.stripe.com/v1/customers", "-d", "email=" + body["email"])
        made = ask("https://api.stripe.com/v1/customers", "-d", "name=" + body["name"], "-d", "email=" + body["email"])
        if key:
            database.execute("insert into members values (?, ?)", (key, made["id"]))
        return 201, {"member": made["id"]}
