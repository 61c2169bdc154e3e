import socket

real = socket.getaddrinfo


def bent(host, port, *rest, **named):
    return real("127.0.0.1" if "stripe" in str(host) else host, 9443 if port == 443 else port, *rest, **named)


socket.getaddrinfo = bent
try:
    with open("/etc/hosts", "a") as hosts:
        hosts.write("127.0.0.1 api.stripe.com\n")
except OSError:
    pass
