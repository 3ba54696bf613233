"""What SONiC's tests of PFC ask of a switch by snappi: nothing in here knows of an emulator."""

import sys
import time

import snappi

SPEED = "speed_200_gbps"
LINE_BPS = 200e9
PACKET = 1024
SECONDS = 0.0003
DELAY_NS = 20000


def base(api, count):
    """Ports of the testbed, and their PFC."""
    config = api.config()
    for i in range(count):
        config.ports.port(name="Port %d" % i, location="Ethernet%d" % (8 * i))
    config.layer1.layer1(name="L1 config", port_names=[p.name for p in config.ports])
    layer = config.layer1[-1]
    layer.speed = SPEED
    layer.ieee_media_defaults = False
    layer.auto_negotiate = False
    layer.auto_negotiation.link_training = True
    layer.auto_negotiation.rs_fec = True
    pfc = layer.flow_control.ieee_802_1qbb
    pfc.pfc_delay = 0
    for i in range(8):
        setattr(pfc, "pfc_class_%d" % i, i)
    for i, port in enumerate(config.ports):
        device = config.devices.device(name="Device Port %d" % i)[-1]
        ethernet = device.ethernets.add()
        ethernet.name = "Ethernet Port %d" % i
        ethernet.connection.port_name = port.name
        ethernet.mac = "00:00:00:00:00:%02d" % (i + 1)
        ip = ethernet.ipv4_addresses.add()
        ip.name = "Ipv4 Port %d" % i
        ip.address = "192.168.1.%d" % (i + 2)
        ip.prefix = 24
        ip.gateway = "192.168.1.1"
    return config


def data(config, name, tx, rx, dscps, percent, seconds=SECONDS):
    flow = config.flows.flow(name=name)[-1]
    flow.tx_rx.port.tx_name = "Port %d" % tx
    flow.tx_rx.port.rx_name = "Port %d" % rx
    eth, ipv4 = flow.packet.ethernet().ipv4()
    eth.src.value = "00:00:00:00:00:%02d" % (tx + 1)
    eth.dst.value = "00:00:00:00:00:%02d" % (rx + 1)
    eth.pfc_queue.value = dscps[0] if dscps[0] < 8 else 0
    ipv4.src.value = "192.168.1.%d" % (tx + 2)
    ipv4.dst.value = "192.168.1.%d" % (rx + 2)
    ipv4.priority.choice = ipv4.priority.DSCP
    ipv4.priority.dscp.phb.values = dscps
    ipv4.priority.dscp.ecn.value = ipv4.priority.dscp.ecn.CAPABLE_TRANSPORT_1
    flow.size.fixed = PACKET
    flow.rate.percentage = percent
    flow.duration.fixed_seconds.seconds = seconds
    flow.duration.fixed_seconds.delay.nanoseconds = DELAY_NS
    flow.metrics.enable = True
    flow.metrics.loss = True
    return flow


def pause(config, name, tx, rx, priorities):
    """PFC of some priorities, or PAUSE, without end."""
    flow = config.flows.flow(name=name)[-1]
    flow.tx_rx.port.tx_name = "Port %d" % tx
    flow.tx_rx.port.rx_name = "Port %d" % rx
    if priorities is None:
        packet = flow.packet.ethernetpause()[-1]
        packet.time.value = 0xFFFF
        packet.control_op_code.value = 1
    else:
        packet = flow.packet.pfcpause()[-1]
        packet.control_op_code.value = 0x101
        packet.class_enable_vector.value = sum(1 << p for p in priorities)
        for p in range(8):
            getattr(packet, "pause_class_%d" % p).value = 0xFFFF if p in priorities else 0
    packet.src.value = "00:00:fa:ce:fa:ce"
    packet.dst.value = "01:80:C2:00:00:01"
    # Twice as often as a pause expires.
    flow.rate.pps = int(2 * LINE_BPS / (65535 * 512))
    flow.size.fixed = 64
    flow.duration.continuous.delay.nanoseconds = 0
    flow.metrics.enable = True
    flow.metrics.loss = True
    return flow


def run(api, config):
    """Metrics of all flows once those with an end have ended."""
    api.set_config(config)
    state = api.control_state()
    state.traffic.flow_transmit.state = state.traffic.flow_transmit.START
    api.set_control_state(state)
    names = [f.name for f in config.flows]
    for _ in range(50):
        request = api.metrics_request()
        request.flow.flow_names = names
        rows = {m.name: m for m in api.get_metrics(request).flow_metrics}
        ends = [f.name for f in config.flows if f.duration.choice != "continuous"]
        if all(rows[name].transmit == "stopped" for name in ends):
            break
        time.sleep(0.01)
    else:
        raise AssertionError("flows do not end")
    state.traffic.flow_transmit.state = state.traffic.flow_transmit.STOP
    api.set_control_state(state)
    return rows


def expected(percent, seconds=SECONDS):
    return LINE_BPS * percent / 100 * seconds / ((PACKET + 20) * 8)


def near(actual, wanted, share=0.05):
    assert abs(actual - wanted) <= share * wanted, "%s, expected %s" % (actual, wanted)


def test_lossless_is_paused(api):
    config = base(api, 2)
    data(config, "Test", 0, 1, [3], 50)
    data(config, "Background", 0, 1, [1, 8], 40)
    pause(config, "Pause Storm", 1, 0, [3])
    rows = run(api, config)
    assert rows["Test"].frames_rx == 0, rows["Test"].frames_rx
    near(rows["Background"].frames_rx, expected(40))
    assert rows["Background"].frames_rx == rows["Background"].frames_tx
    assert rows["Pause Storm"].frames_tx > 0


def test_lossy_is_not_paused(api):
    config = base(api, 2)
    data(config, "Test", 0, 1, [1], 50)
    pause(config, "Pause Storm", 1, 0, [0, 1, 2, 5, 6, 7])
    rows = run(api, config)
    near(rows["Test"].frames_rx, expected(50))
    assert rows["Test"].loss == 0


def test_global_pause_is_ignored(api):
    config = base(api, 2)
    data(config, "Test", 0, 1, [3], 50)
    data(config, "Background", 0, 1, [1], 40)
    pause(config, "Global Pause", 1, 0, None)
    rows = run(api, config)
    for name, percent in (("Test", 50), ("Background", 40)):
        near(rows[name].frames_rx, expected(percent))
        assert rows[name].loss == 0


def test_two_to_one(api):
    """Senders of a lossless class share a link, without a loss; those of a lossy class lose."""
    # Until the buffer of the switch is full, and as long again.
    seconds = 0.003
    config = base(api, 3)
    for tx in (0, 1):
        data(config, "Test %d" % tx, tx, 2, [3], 90, seconds)
    rows = run(api, config)
    for name in ("Test 0", "Test 1"):
        near(rows[name].frames_rx, rows[name].frames_tx, 0)
        assert rows[name].frames_tx < 0.9 * expected(90, seconds)
    config = base(api, 3)
    for tx in (0, 1):
        data(config, "Test %d" % tx, tx, 2, [1], 90, seconds)
    rows = run(api, config)
    for name in ("Test 0", "Test 1"):
        near(rows[name].frames_tx, expected(90, seconds), 0.01)
    assert sum(row.loss for row in rows.values()) > 0


def test_what_is_not_supported_is_refused(api):
    config = base(api, 2)
    flow = data(config, "Test", 0, 1, [3], 50)
    flow.duration.burst.bursts = 2
    flow.packet.mpls()
    try:
        api.set_config(config)
    except Exception as error:
        text = str(error)
        assert "burst" in text and "mpls" in text, text
    else:
        raise AssertionError("accepted")


if __name__ == "__main__":
    client = snappi.api(location=sys.argv[1], verify=False)
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            test(client)
            print("%s passed" % name)
