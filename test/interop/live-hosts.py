"""What two real hosts do in a test of live ports: serve, or talk and print what came of it, in JSON."""

import json
import os
import socket
import struct
import sys
import threading
import time

PORT = 8000
ETH_P_ALL = 3
SOL_PACKET = 263
PACKET_AUXDATA = 8


def patient(action):
    """Until it works: the other host may not be there yet, and its address not be known."""
    until = time.monotonic() + 30
    while True:
        try:
            return action()
        except OSError:
            if time.monotonic() > until:
                raise


def serve():
    """Sends as many bytes as a line says; answers datagrams; echoes are the kernel's."""
    tcp = socket.create_server(("0.0.0.0", PORT))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("0.0.0.0", PORT))

    def answer():
        while True:
            octets, address = udp.recvfrom(65536)
            udp.sendto(octets, address)

    threading.Thread(target=answer, daemon=True).start()
    while True:
        connection, _ = tcp.accept()
        connection.sendall(bytes(int(connection.makefile().readline())))
        connection.close()


def checksum(octets):
    total = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ping(host, count):
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    raw.settimeout(2)
    replies = 0
    for number in range(count):
        head = struct.pack("!BBHHH", 8, 0, 0, 7, number)
        body = bytes(56)
        head = struct.pack("!BBHHH", 8, 0, checksum(head + body), 7, number)

        def once():
            raw.sendto(head + body, (host, 0))
            while True:
                reply = raw.recv(2048)[20:]
                if reply[0] == 0 and reply[4:8] == head[4:8]:
                    return

        patient(once)
        replies += 1
    return replies


def tcp(host, octets):
    connection = patient(lambda: socket.create_connection((host, PORT), timeout=5))
    connection.settimeout(30)
    connection.sendall(b"%d\n" % octets)
    got = 0
    while piece := connection.recv(65536):
        got += len(piece)
    return got


def udp(host, octets, count):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.settimeout(2)
    for number in range(count):
        payload = bytes([number]) * octets

        def once():
            sender.sendto(payload, (host, PORT))
            while sender.recv(65536) != payload:
                pass

        patient(once)
    return count


def listen(device):
    """A socket that sees every frame of a device, with its tag."""
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    wire.bind((device, 0))
    wire.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    wire.settimeout(30)
    return wire


def heard(wire, ethertype):
    """The first frame of a type: its octets, and the tag that the kernel has taken out."""
    while True:
        octets, ancillary, _, _ = wire.recvmsg(65536, 1024)
        if octets[12:14] == ethertype:
            for level, kind, data in ancillary:
                if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
                    return octets.hex(), struct.unpack("IIIHHHH", data[:20])[5]
            return octets.hex(), 0


def main():
    what, *words = sys.argv[1:]
    if what == "serve":
        serve()
    elif what == "talk":
        host = words[0]
        result = {
            "ping": ping(host, 5),
            "tcp": tcp(host, 1_000_000),
            "udp": udp(host, 1000, 20),
            "jumbo": udp(host, 8000, 5),
        }
        print(json.dumps(result), flush=True)
    elif what == "send":
        device, octets, every = words[0], bytes.fromhex(words[1]), float(words[2])
        wire = listen(device)
        while True:
            wire.send(octets)
            time.sleep(every)
    elif what == "hear":
        device, ethertype = words[0], bytes.fromhex(words[1])
        print(json.dumps(heard(listen(device), ethertype)), flush=True)


try:
    main()
except (KeyboardInterrupt, BrokenPipeError):
    os._exit(0)
