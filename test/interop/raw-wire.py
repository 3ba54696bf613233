"""LLDP frames of a network interface: what comes in goes out as lines of hex digits, and back."""

import os
import select
import socket
import sys

wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88CC))
wire.bind((sys.argv[1], 0))
pending = b""
while True:
    for source in select.select([wire, sys.stdin.fileno()], [], [])[0]:
        if source is wire:
            octets, address = wire.recvfrom(2048)
            if address[2] != socket.PACKET_OUTGOING:
                print(octets.hex(), flush=True)
            continue
        chunk = os.read(sys.stdin.fileno(), 65536)
        if not chunk:
            sys.exit()
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            wire.send(bytes.fromhex(line.decode()))
