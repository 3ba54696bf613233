-- Dissectors for Wireshark of what captures of Selvage have and Wireshark does not know: credit
-- exchange (frame and tag), CC_Update and CF_Update of credit-based flow control (CBFC), link-level
-- retry (LLR), the LLDP TLVs of all of them and of source flow control, SFCM (P802.1Qdw), CIM
-- (802.1Qcz), CNM and CN-TAG (802.1Q clauses 33 and 49).
--
--   wireshark -X lua_script:selvage.lua capture.pcapng
--
-- where discovery.identifier is not 02-CE-70 with -o selvage_capability.identifier:0A-BC-DE, too;
-- or copy the file into the folder of personal Lua plugins (Help, About Wireshark, Folders).

local ethertypes = DissectorTable.get("ethertype")
local udp_ports = DissectorTable.get("udp.port")
local encapsulations = DissectorTable.get("wtap_encap")
local lldp_organizations = DissectorTable.get("lldp.orgtlv.oui")

local eth_destination = Field.new("eth.dst")

local PRIORITIES, VIRTUAL_CHANNELS = 8, 32

-- A protocol, with its fields by name and an expert note for what it does not accept.
local function protocol(name, title, short)
  local proto = Proto(name, title)
  local bad = ProtoExpert.new(name .. ".bad", short .. " that receivers discard",
    expert.group.MALFORMED, expert.severity.ERROR)
  proto.experts = { bad }
  return {
    proto = proto, bad = bad, name = name, title = title, short = short, fields = {}, list = {},
  }
end

local function add_field(to, kind, name, title, ...)
  local field = ProtoField[kind](to.name .. "." .. name, title, ...)
  to.fields[name] = field
  to.list[#to.list + 1] = field
  return field
end

local function finish(of)
  of.proto.fields = of.list
  return of
end

-- The tree of a message, and its name in the columns.
local function open(of, range, pinfo, tree, info)
  pinfo.cols.protocol = of.short
  pinfo.cols.info = info
  return tree:add(of.proto, range, of.title)
end

local function refuse(of, tree, why)
  tree:add_proto_expert_info(of.bad, why)
end

-- MAC control goes to the group address that no bridge forwards.
local function check_group(of, tree)
  local destination = eth_destination()
  if destination ~= nil and destination.range:bytes():tohex(true) ~= "0180c2000001" then
    refuse(of, tree, "Not to the group address of MAC control")
  end
end

-- By EtherType: dissectors that expect frames that were cut short.
local careful = {}

-- What follows a tag of so many octets: a frame of another type, or its length and padding. Others
-- get whole frames only: a part of a buffer does not say how long the frame was.
local function dissect_tagged(tvb, octets, pinfo, tree)
  if tvb:len() < octets + 3 then return end
  local kind, rest = tvb(octets, 2):uint(), tvb(octets + 2):tvb()
  if careful[kind] ~= nil then
    careful[kind](rest, pinfo, tree)
  elseif kind >= 0x600 and tvb:reported_len() == tvb:len() then
    ethertypes:try(kind, rest, pinfo, tree)
  end
end

------------------------------------------------------------------------------------------------
-- Credit exchange: requests and grants of credit

local FLAGS = {
  { "flags.syn", "SYN", 0x80 }, { "flags.ack", "ACK", 0x40 }, { "flags.report", "Report", 0x20 },
}

local function add_flag_fields(to)
  add_field(to, "uint8", "flags", "Flags", base.HEX)
  for _, flag in ipairs(FLAGS) do
    add_field(to, "bool", flag[1], flag[2], 8, nil, flag[3])
  end
  add_field(to, "uint8", "epoch", "Epoch", base.DEC, nil, 0x1f)
end

local function add_flags(of, tree, range)
  local flags = tree:add(of.fields["flags"], range)
  for _, flag in ipairs(FLAGS) do flags:add(of.fields[flag[1]], range) end
  flags:add(of.fields["epoch"], range)
end

local ce = protocol("ce", "Credit Exchange", "CE")
local CE_OPCODES = { [0x0110] = "Request", [0x0111] = "Grant" }
add_field(ce, "uint16", "opcode", "Opcode", base.HEX, CE_OPCODES)
add_flag_fields(ce)
add_field(ce, "uint8", "tc_selection_vector", "TC Selection Vector", base.HEX)
for p = 0, PRIORITIES - 1 do
  add_field(ce, "uint32", "credit.p" .. p, "Credit of priority " .. p, base.DEC)
  add_field(ce, "uint32", "amount.p" .. p, "Requested of priority " .. p, base.DEC)
end
add_field(ce, "uint16", "channel", "Channel", base.DEC)
finish(ce)

-- An amount is a floating-point number of five bits of exponent and three of fraction.
local function amount(octet)
  local exponent, fraction = bit.rshift(octet, 3), bit.band(octet, 7)
  if exponent == 0 then return fraction end
  return (8 + fraction) * 2 ^ (exponent - 1)
end

-- Offsets from the opcode on.
local CE_FLAGS, CE_VECTOR, CE_CREDITS, CE_CHANNEL = 2, 3, 4, 20
local CE_UPPER = CE_CHANNEL + 2
local CE_AMOUNTS = CE_UPPER + 2 * PRIORITIES

local function dissect_ce(tvb, pinfo, tree, opcode)
  local vector, channel = tvb(CE_VECTOR, 1):uint(), tvb(CE_CHANNEL, 2):uint()
  local shown = {}
  local sub = open(ce, tvb(), pinfo, tree, "")
  sub:add(ce.fields["opcode"], tvb(0, 2))
  add_flags(ce, sub, tvb(CE_FLAGS, 1))
  sub:add(ce.fields["tc_selection_vector"], tvb(CE_VECTOR, 1))
  for p = 0, PRIORITIES - 1 do
    if bit.band(vector, bit.lshift(1, p)) ~= 0 then
      local low = tvb(CE_CREDITS + 2 * p, 2)
      local credit = tvb(CE_UPPER + 2 * p, 2):uint() * 0x10000 + low:uint()
      sub:add(ce.fields["credit.p" .. p], low, credit)
      shown[#shown + 1] = string.format("p%d=%.0f", p, credit)
      if opcode == 0x0110 then
        local octet = tvb(CE_AMOUNTS + p, 1)
        sub:add(ce.fields["amount.p" .. p], octet, amount(octet:uint()))
      end
    end
  end
  sub:add(ce.fields["channel"], tvb(CE_CHANNEL, 2))
  check_group(ce, sub)
  local kind = CE_OPCODES[opcode]
  pinfo.cols.info = "CE " .. kind .. ", channel " .. channel .. ": " .. table.concat(shown, " ")
end

local ce_tag = protocol("ce_tag", "Credit Exchange Tag", "CE-Tag")
local CE_TAG_TYPES = { [0x88b5] = "Request", [0x88b6] = "Grant" }
add_field(ce_tag, "uint16", "type", "Type", base.HEX, CE_TAG_TYPES)
add_flag_fields(ce_tag)
add_field(ce_tag, "uint8", "tc_selection_vector", "TC Selection Vector", base.HEX)
add_field(ce_tag, "uint16", "credit", "Credit", base.DEC)
add_field(ce_tag, "uint16", "channel", "Channel", base.DEC)
finish(ce_tag)

local CE_TAG_OCTETS = 6

-- `tvb` begins behind the EtherType of the tag.
local function dissect_ce_tag(kind)
  return function(tvb, pinfo, tree)
    if tvb:len() < CE_TAG_OCTETS then return 0 end
    local vector, credit = tvb(1, 1):uint(), tvb(2, 2):uint()
    local info = "CE-Tag " .. CE_TAG_TYPES[kind] .. ", channel " .. tvb(4, 2):uint()
    local sub = open(ce_tag, tvb(0, CE_TAG_OCTETS), pinfo, tree, info .. ": " .. credit)
    sub:add(ce_tag.fields["type"], kind):set_generated()
    add_flags(ce_tag, sub, tvb(0, 1))
    sub:add(ce_tag.fields["tc_selection_vector"], tvb(1, 1))
    sub:add(ce_tag.fields["credit"], tvb(2, 2))
    sub:add(ce_tag.fields["channel"], tvb(4, 2))
    if vector == 0 or bit.band(vector, vector - 1) ~= 0 then
      refuse(ce_tag, sub, "A tag selects one priority")
    end
    dissect_tagged(tvb, CE_TAG_OCTETS, pinfo, tree)
    return tvb:len()
  end
end

for kind, name in pairs(CE_TAG_TYPES) do
  local dissector = Proto("ce_tag_" .. name:lower(), "Credit Exchange Tag: " .. name)
  dissector.dissector = dissect_ce_tag(kind)
  ethertypes:add(kind, dissector)
end

------------------------------------------------------------------------------------------------
-- Credit-based flow control: CC_Update is a MAC control frame, CF_Update an ordered set

local cbfc = protocol("cbfc", "Credit-Based Flow Control", "CBFC")
add_field(cbfc, "uint24", "organization", "Organization", base.HEX)
add_field(cbfc, "uint8", "message", "Message", base.DEC,
  { [1] = "CC_Update, channels 0 to 15", [2] = "CC_Update, channels 16 to 31" })
for vc = 0, VIRTUAL_CHANNELS - 1 do
  add_field(cbfc, "uint32", "consumed.vc" .. vc, "Credits consumed, channel " .. vc, base.DEC)
end
add_field(cbfc, "uint8", "freed.vc", "Virtual channel", base.DEC)
add_field(cbfc, "uint16", "freed.count", "Credits freed, low bits", base.DEC)
finish(cbfc)

local OUI = 0x02ce70
local CC_MESSAGE, CC_COUNTERS, CC_PAIRS = 5, 6, 8

local function dissect_cc_update(tvb, pinfo, tree)
  local message = tvb(CC_MESSAGE, 1):uint()
  local sub = open(cbfc, tvb(), pinfo, tree, "CBFC CC_Update")
  sub:add(cbfc.fields["organization"], tvb(2, 3))
  sub:add(cbfc.fields["message"], tvb(CC_MESSAGE, 1))
  if message ~= 1 and message ~= 2 then return refuse(cbfc, sub, "Unknown message") end
  local first = (message - 1) * 2 * CC_PAIRS
  for pair = 0, CC_PAIRS - 1 do
    local range = tvb(CC_COUNTERS + 5 * pair, 5)
    local even, odd = range:bitfield(0, 20), range:bitfield(20, 20)
    sub:add(cbfc.fields["consumed.vc" .. (first + 2 * pair)], range(0, 3), even)
    sub:add(cbfc.fields["consumed.vc" .. (first + 2 * pair + 1)], range(2, 3), odd)
  end
  check_group(cbfc, sub)
end

-- PAUSE, PFC and what else is MAC control stay with Wireshark.
local other_mac_control = ethertypes:get_dissector(0x8808)
local mac_control = Proto("selvage_macc", "MAC Control of Selvage")
local MAC_CONTROL_LEAST = 46
local OPCODE_EXTENSION = 0xfffe

function mac_control.dissector(tvb, pinfo, tree)
  local opcode = tvb:len() >= MAC_CONTROL_LEAST and tvb(0, 2):uint() or 0
  if CE_OPCODES[opcode] ~= nil then
    dissect_ce(tvb, pinfo, tree, opcode)
  elseif opcode == OPCODE_EXTENSION and tvb(2, 3):uint() == OUI then
    dissect_cc_update(tvb, pinfo, tree)
  else
    return other_mac_control:call(tvb, pinfo, tree)
  end
  return tvb:len()
end

ethertypes:add(0x8808, mac_control)

------------------------------------------------------------------------------------------------
-- Ordered sets, eight octets between frames: CF_Update, and messages of link-level retry

local llr = protocol("llr", "Link-Level Retry", "LLR")
local LLR_TYPES = {
  [0x01] = "LLR_ACK", [0x02] = "LLR_NACK", [0x03] = "LLR_INIT", [0x04] = "LLR_INIT_ECHO",
}
add_field(llr, "uint8", "type", "Type", base.HEX, LLR_TYPES)
add_field(llr, "uint32", "sequence", "Sequence number", base.DEC)
add_field(llr, "uint16", "init_data", "Init data", base.HEX)
finish(llr)

local CF_UPDATE, ORDERED_SET_OCTETS = 0x10, 8

local function dissect_ordered_set(tvb, pinfo, tree)
  local kind = tvb(1, 1):uint()
  if kind == CF_UPDATE then
    local sub, shown = open(cbfc, tvb(), pinfo, tree, "CBFC CF_Update"), {}
    for _, at in ipairs({ 2, 5 }) do
      local vc, count = tvb(at, 1):bitfield(0, 5), tvb(at, 3):bitfield(5, 15)
      sub:add(cbfc.fields["freed.vc"], tvb(at, 1), vc)
      sub:add(cbfc.fields["freed.count"], tvb(at, 3), count)
      shown[#shown + 1] = "vc" .. vc .. "=" .. count
    end
    -- One channel alone is named twice.
    if shown[1] == shown[2] then shown[2] = nil end
    pinfo.cols.info = "CBFC CF_Update: " .. table.concat(shown, " ")
    if tvb(7, 1):bitfield(4, 4) ~= 0 then refuse(cbfc, sub, "Reserved bits are set") end
  elseif LLR_TYPES[kind] ~= nil then
    local sequence = tvb(2, 3):bitfield(0, 20)
    local sub = open(llr, tvb(), pinfo, tree, LLR_TYPES[kind] .. " " .. sequence)
    sub:add(llr.fields["type"], tvb(1, 1))
    sub:add(llr.fields["sequence"], tvb(2, 3), sequence)
    local data = tvb(5, 2):le_uint()
    if kind >= 0x03 then sub:add_le(llr.fields["init_data"], tvb(5, 2)) end
    if tvb(7, 1):uint() ~= 0 then
      refuse(llr, sub, "Reserved bits are set")
    elseif kind < 0x03 and data ~= 0 then
      refuse(llr, sub, "Only an initialisation has data")
    elseif kind >= 0x03 and data == 0 then
      refuse(llr, sub, "An initialisation has data other than 0")
    end
  else
    return 0
  end
  return ORDERED_SET_OCTETS
end

-- They are no frames: a capture has them on interfaces of link type USER0.
local ordered_set = Proto("ordered_set", "Control Ordered Set")

function ordered_set.dissector(tvb, pinfo, tree)
  local is_control = tvb:len() == ORDERED_SET_OCTETS
    and tvb(0, 1):uint() == 0x4b and tvb(4, 1):bitfield(4, 4) == 6
  return is_control and dissect_ordered_set(tvb, pinfo, tree) or 0
end

encapsulations:add(wtap.USER0, ordered_set)

------------------------------------------------------------------------------------------------
-- TLVs of LLDP: protocols of the link layer that a port has, and the credits of its channels

local link_layer = protocol("link_layer", "Ultra Ethernet Link Layer", "TLV")
local LINK_LAYER_SUBTYPES = { [3] = "protocols", [4] = "credits" }
add_field(link_layer, "uint8", "subtype", "Subtype", base.DEC, LINK_LAYER_SUBTYPES)
add_field(link_layer, "uint8", "version", "Version", base.DEC)
add_field(link_layer, "bool", "llr", "Link-level retry (LLR)", 8, nil, 0x01)
add_field(link_layer, "bool", "cbfc", "Credit-based flow control (CBFC)", 8, nil, 0x02)
add_field(link_layer, "uint8", "channels", "Virtual channels", base.DEC)
add_field(link_layer, "uint32", "credit_size", "Credit size (bytes)", base.DEC)
add_field(link_layer, "int8", "overhead", "Overhead of a frame (bytes)", base.DEC)
add_field(link_layer, "uint24", "port_credits", "Credits that channels share", base.DEC)
add_field(link_layer, "uint32", "lossless", "Lossless channels", base.HEX)
for vc = 0, VIRTUAL_CHANNELS - 1 do
  add_field(link_layer, "uint24", "credits.vc" .. vc, "Credits of channel " .. vc, base.DEC)
end
finish(link_layer)

local LINK_LAYER_VERSION = 1
-- Header, OUI and subtype begin an organizational TLV.
local TLV_HEAD, PROTOCOLS_OCTETS, CREDITS_OCTETS, LIMIT_OCTETS = 6, 2, 10, 3
local SHIFT_LEAST, SHIFT_MOST, OVERHEAD_LEAST, COUNT_MOST = 5, 11, -16, 0xfffff

local function dissect_protocols(value, sub)
  if value:len() ~= PROTOCOLS_OCTETS then return refuse(link_layer, sub, "Length") end
  sub:add(link_layer.fields["version"], value(0, 1))
  if value(0, 1):uint() ~= LINK_LAYER_VERSION then
    return refuse(link_layer, sub, "Unknown version")
  end
  sub:add(link_layer.fields["llr"], value(1, 1))
  sub:add(link_layer.fields["cbfc"], value(1, 1))
end

-- Each lossless channel has its credits behind the map of them, in their order.
local function dissect_credits(value, sub)
  local lossless = value(6, 4)
  local with_credits = {}
  for vc = 0, VIRTUAL_CHANNELS - 1 do
    if lossless:bitfield(31 - vc, 1) == 1 then with_credits[#with_credits + 1] = vc end
  end
  if value:len() ~= CREDITS_OCTETS + LIMIT_OCTETS * #with_credits then
    return refuse(link_layer, sub, "Length")
  end
  local channels, shift = value(0, 1):uint(), value(1, 1):uint()
  sub:add(link_layer.fields["channels"], value(0, 1))
  if channels < 1 or channels > VIRTUAL_CHANNELS then
    refuse(link_layer, sub, "1 to 32 virtual channels")
  elseif #with_credits > 0 and with_credits[#with_credits] >= channels then
    refuse(link_layer, sub, "A lossless channel that the port does not have")
  end
  sub:add(link_layer.fields["credit_size"], value(1, 1), 2 ^ math.min(shift, 31))
  if shift < SHIFT_LEAST or shift > SHIFT_MOST then
    refuse(link_layer, sub, "A credit is 32 to 2048 bytes")
  end
  sub:add(link_layer.fields["overhead"], value(2, 1))
  if value(2, 1):int() < OVERHEAD_LEAST then
    refuse(link_layer, sub, "The overhead is -16 to 127 bytes")
  end
  sub:add(link_layer.fields["port_credits"], value(3, 3))
  sub:add(link_layer.fields["lossless"], lossless)
  local most = value(3, 3):uint()
  for n, vc in ipairs(with_credits) do
    local limit = value(CREDITS_OCTETS + LIMIT_OCTETS * (n - 1), LIMIT_OCTETS)
    sub:add(link_layer.fields["credits.vc" .. vc], limit)
    most = math.max(most, limit:uint())
  end
  if most > COUNT_MOST then refuse(link_layer, sub, "A counter has 20 bits") end
end

local LINK_LAYER_TLVS = {
  [3] = { least = PROTOCOLS_OCTETS, dissect = dissect_protocols },
  [4] = { least = CREDITS_OCTETS, dissect = dissect_credits },
}

-- `tvb` is the whole TLV.
function link_layer.proto.dissector(tvb, _, tree)
  local subtype = tvb:len() >= TLV_HEAD and tvb(TLV_HEAD - 1, 1):uint() or 0
  local kind = LINK_LAYER_TLVS[subtype]
  if kind == nil then return 0 end
  local title = link_layer.title .. ": " .. LINK_LAYER_SUBTYPES[subtype]
  local sub = tree:add(link_layer.proto, tvb(), title)
  sub:add(link_layer.fields["subtype"], tvb(TLV_HEAD - 1, 1))
  if tvb:len() < TLV_HEAD + kind.least then
    refuse(link_layer, sub, "Length")
  else
    kind.dissect(tvb(TLV_HEAD):tvb(), sub)
  end
  return tvb:len()
end

------------------------------------------------------------------------------------------------
-- TLVs of LLDP: credit exchange (CET), and source flow control (SFC)

local cet = protocol("cet", "Credit Exchange Capability", "CET")
add_field(cet, "uint8", "version", "Version", base.DEC)
local CET_FLAGS = {
  { "willing", "Willing", 0x80 }, { "ce_frames", "CE frames", 0x40 }, { "ce_tag", "CE-Tag", 0x20 },
  { "totals", "Totals", 0x10 }, { "resync", "Resynchronisation", 0x08 },
  { "answers", "Answers requests", 0x04 }, { "channelled", "Channels", 0x02 },
}
for _, flag in ipairs(CET_FLAGS) do add_field(cet, "bool", flag[1], flag[2], 8, nil, flag[3]) end
-- Name, title, place and octets; those of the third version are its last.
local CET_FIELDS = {
  { "unit", "Unit (bytes)", 2, 2 }, { "max_cr_blk", "MAX_CR_BLK (bytes)", 4, 2 },
  { "channels", "Number of channels", 6, 2 }, { "capable", "Capable priorities", 8, 1, base.HEX },
  { "enabled", "Enabled priorities", 9, 1, base.HEX },
  { "request", "EtherType of requests", 10, 2, base.HEX },
  { "grant", "EtherType of grants", 12, 2, base.HEX },
  { "refresh_us", "Refresh (us)", 14, 2 }, { "age_us", "Age (us)", 16, 2 },
  { "agreed", "Agreed priorities", 18, 1, base.HEX },
  { "refresh_ps", "Refresh (ps)", 20, 6 }, { "age_ps", "Age (ps)", 26, 6 },
}
for _, field in ipairs(CET_FIELDS) do
  local kind = field[4] == 6 and "uint64" or "uint" .. 8 * field[4]
  add_field(cet, kind, field[1], field[2], field[5] or base.DEC)
end
add_field(cet, "bool", "wide", "Totals of 31 bits", 8, nil, 0x80)
add_field(cet, "bool", "divided", "Fixed shares of channels", 8, nil, 0x40)
for p = 0, PRIORITIES - 1 do
  add_field(cet, "uint32", "buffer.p" .. p, "Buffer of priority " .. p .. " (units)", base.DEC)
end
add_field(cet, "uint8", "cbfc", "Priorities that may have CBFC", base.HEX)
finish(cet)

-- Whether a map of priorities has one that another lacks.
local function exceeds(map, other)
  for p = 0, PRIORITIES - 1 do
    if map:bitfield(p, 1) == 1 and other:bitfield(p, 1) == 0 then return true end
  end
  return false
end

local CET_LEAST, CET_CODECS, CET_OCTETS, CET_CODECS_OCTETS = 2, 3, 64, 65

local function dissect_cet(value, sub)
  local version = value(0, 1):uint()
  sub:add(cet.fields["version"], value(0, 1))
  if version < CET_LEAST then return refuse(cet, sub, "Unknown version") end
  local octets = version < CET_CODECS and CET_OCTETS or CET_CODECS_OCTETS
  if value:len() < octets or (version <= CET_CODECS and value:len() ~= octets) then
    return refuse(cet, sub, "Length")
  end
  for _, flag in ipairs(CET_FLAGS) do sub:add(cet.fields[flag[1]], value(1, 1)) end
  for _, field in ipairs(CET_FIELDS) do sub:add(cet.fields[field[1]], value(field[3], field[4])) end
  sub:add(cet.fields["wide"], value(19, 1))
  sub:add(cet.fields["divided"], value(19, 1))
  for p = 0, PRIORITIES - 1 do sub:add(cet.fields["buffer.p" .. p], value(32 + 4 * p, 4)) end
  if exceeds(value(9, 1), value(8, 1)) then
    refuse(cet, sub, "An enabled priority that is not capable")
  end
  if value(1, 1):bitfield(6, 1) == 0 and value(6, 2):uint() ~= 0 then
    refuse(cet, sub, "Channels without their flag")
  end
  if octets == CET_CODECS_OCTETS then
    sub:add(cet.fields["cbfc"], value(64, 1))
    if exceeds(value(64, 1), value(9, 1)) then
      refuse(cet, sub, "CBFC on a priority that is not enabled")
    end
  end
end

local sfc = protocol("sfc", "Source Flow Control Capability", "SFC")
add_field(sfc, "uint8", "version", "Version", base.DEC)
local SFC_FLAGS = {
  { "sends", "Sends SFCMs", 0x80 }, { "proxy", "Proxy", 0x40 }, { "responds", "Responds", 0x20 },
  { "layer2", "Layer 2", 0x10 }, { "ipv4", "IPv4", 0x08 }, { "ipv6", "IPv6", 0x04 },
}
for _, flag in ipairs(SFC_FLAGS) do add_field(sfc, "bool", flag[1], flag[2], 8, nil, flag[3]) end
add_field(sfc, "uint8", "monitored", "Monitored priorities", base.HEX)
add_field(sfc, "uint8", "hop_limit", "Hop limit", base.DEC)
add_field(sfc, "ether", "mac", "MAC address")
add_field(sfc, "uint16", "udp_port", "UDP port", base.DEC)
add_field(sfc, "ipv4", "ipv4_address", "IPv4 address")
add_field(sfc, "ipv6", "ipv6_address", "IPv6 address")
finish(sfc)

local SFC_VERSION, SFC_OCTETS = 1, 13
local ADDRESS_OCTETS = { [0] = 0, [1] = 4, [2] = 16 }

local function dissect_sfc(value, sub)
  local version = value(0, 1):uint()
  sub:add(sfc.fields["version"], value(0, 1))
  if version == 0 then return refuse(sfc, sub, "Unknown version") end
  if value:len() < SFC_OCTETS then return refuse(sfc, sub, "Length") end
  local octets = ADDRESS_OCTETS[value(12, 1):uint()]
  if octets == nil then return refuse(sfc, sub, "Kind of address") end
  local length = SFC_OCTETS + octets
  if value:len() < length or (version == SFC_VERSION and value:len() ~= length) then
    return refuse(sfc, sub, "Length")
  end
  for _, flag in ipairs(SFC_FLAGS) do sub:add(sfc.fields[flag[1]], value(1, 1)) end
  sub:add(sfc.fields["monitored"], value(2, 1))
  sub:add(sfc.fields["hop_limit"], value(3, 1))
  sub:add(sfc.fields["mac"], value(4, 6))
  sub:add(sfc.fields["udp_port"], value(10, 2))
  if octets == 4 then sub:add(sfc.fields["ipv4_address"], value(SFC_OCTETS, 4)) end
  if octets == 16 then sub:add(sfc.fields["ipv6_address"], value(SFC_OCTETS, 16)) end
end

local CAPABILITIES = {
  [1] = { of = cet, dissect = dissect_cet },
  [2] = { of = sfc, dissect = dissect_sfc },
}
local capability = Proto("selvage_capability", "Capabilities of Selvage")

-- `tvb` is the whole TLV.
function capability.dissector(tvb, pinfo, tree)
  local kind = tvb:len() >= TLV_HEAD and CAPABILITIES[tvb(TLV_HEAD - 1, 1):uint()] or nil
  if kind == nil then return link_layer.proto.dissector(tvb, pinfo, tree) end
  local sub = tree:add(kind.of.proto, tvb(), kind.of.title)
  if tvb:len() == TLV_HEAD then
    refuse(kind.of, sub, "Length")
  else
    kind.dissect(tvb(TLV_HEAD):tvb(), sub)
  end
  return tvb:len()
end

-- The identifier of the TLVs is that of `discovery.identifier`.
local identified = OUI
lldp_organizations:add(identified, capability)
capability.prefs.identifier = Pref.string("Identifier", "02-CE-70",
  "OUI or CID of TLVs that no standard numbers, as discovery.identifier of the scenario")

function capability.prefs_changed()
  local octets = capability.prefs.identifier:gsub("[-:]", "")
  if #octets ~= 6 or octets:find("%X") ~= nil then return end
  lldp_organizations:remove(identified, capability)
  identified = tonumber(octets, 16)
  lldp_organizations:add(identified, capability)
end

------------------------------------------------------------------------------------------------
-- Congestion notification (802.1Q clauses 33 and 49, P802.1Qdw)

local cn_tag = protocol("cn_tag", "Congestion Notification Tag", "CN-TAG")
add_field(cn_tag, "uint16", "flow_id", "Flow ID", base.DEC)
finish(cn_tag)

function cn_tag.proto.dissector(tvb, pinfo, tree)
  if tvb:len() < 2 then return 0 end
  local sub = open(cn_tag, tvb(0, 2), pinfo, tree, "CN-TAG " .. tvb(0, 2):uint())
  sub:add(cn_tag.fields["flow_id"], tvb(0, 2))
  dissect_tagged(tvb, 2, pinfo, tree)
  return tvb:len()
end

ethertypes:add(0x22e9, cn_tag.proto)

-- The first octets of the frame that a message is about, from its EtherType on.
local function add_msdu_fields(to)
  add_field(to, "uint16", "msdu_length", "Encapsulated MSDU length", base.DEC)
  add_field(to, "bytes", "msdu", "Encapsulated MSDU")
end

-- Whether they are all there.
local function add_msdu(of, tree, tvb, at, most)
  local length = tvb(at, 2):uint()
  tree:add(of.fields["msdu_length"], tvb(at, 2))
  if length > most or at + 2 + length > tvb:len() then
    refuse(of, tree, "Encapsulated MSDU length of " .. length)
  elseif length > 0 then
    tree:add(of.fields["msdu"], tvb(at + 2, length))
  end
end

local cnm = protocol("cnm", "Congestion Notification Message", "CNM")
add_field(cnm, "uint8", "version", "Version", base.DEC, nil, 0xf0)
add_field(cnm, "uint8", "feedback", "Quantized Feedback", base.DEC, nil, 0x3f)
add_field(cnm, "ether", "cpid.bridge", "CPID: MAC address of the bridge")
add_field(cnm, "uint8", "cpid.port", "CPID: port", base.DEC)
add_field(cnm, "uint8", "cpid.priority", "CPID: priority of the queue", base.DEC)
add_field(cnm, "int16", "queue_offset", "cnmQOffset", base.DEC)
add_field(cnm, "int16", "queue_delta", "cnmQDelta", base.DEC)
add_field(cnm, "uint8", "priority", "Encapsulated priority", base.DEC, nil, 0xe0)
add_field(cnm, "ether", "destination", "Encapsulated destination MAC address")
add_msdu_fields(cnm)
finish(cnm)

local CNM_OCTETS, CNM_MSDU_MOST = 24, 64

function cnm.proto.dissector(tvb, pinfo, tree)
  local sub = open(cnm, tvb(), pinfo, tree, "CNM")
  if tvb:len() < CNM_OCTETS then return refuse(cnm, sub, "Too short") end
  sub:add(cnm.fields["version"], tvb(0, 1))
  if tvb(0, 1):bitfield(0, 4) ~= 0 then return refuse(cnm, sub, "Unknown version") end
  local feedback = tvb(1, 1):bitfield(2, 6)
  pinfo.cols.info = "CNM, quantized feedback " .. feedback
  sub:add(cnm.fields["feedback"], tvb(1, 1))
  sub:add(cnm.fields["cpid.bridge"], tvb(2, 6))
  sub:add(cnm.fields["cpid.port"], tvb(8, 1))
  sub:add(cnm.fields["cpid.priority"], tvb(9, 1))
  sub:add(cnm.fields["queue_offset"], tvb(10, 2))
  sub:add(cnm.fields["queue_delta"], tvb(12, 2))
  sub:add(cnm.fields["priority"], tvb(14, 1))
  sub:add(cnm.fields["destination"], tvb(16, 6))
  add_msdu(cnm, sub, tvb, 22, CNM_MSDU_MOST)
  return tvb:len()
end

ethertypes:add(0x22e7, cnm.proto)
careful[0x22e7] = cnm.proto.dissector

-- CIM and SFCM name a flow by its addresses and VLAN.
local function add_flow_fields(to)
  add_field(to, "ether", "destination", "Destination MAC address of the flow")
  add_field(to, "ether", "source", "Source MAC address of the flow")
  add_field(to, "uint16", "vid", "VLAN identifier of the flow", base.DEC, nil, 0x0fff)
  add_msdu_fields(to)
end

local function add_flow(of, tree, tvb, at)
  tree:add(of.fields["destination"], tvb(at, 6))
  tree:add(of.fields["source"], tvb(at + 6, 6))
  tree:add(of.fields["vid"], tvb(at + 12, 2))
end

local MSDU_MOST = 512

local cim = protocol("cim", "Congestion Isolation Message", "CIM")
add_field(cim, "uint8", "version", "Version", base.DEC, nil, 0xf0)
add_field(cim, "bool", "add", "Add the flow", 8, nil, 0x01)
add_flow_fields(cim)
finish(cim)

local CIM_OCTETS = 18

local function dissect_cim(tvb, pinfo, tree)
  local sub = open(cim, tvb(), pinfo, tree, "CIM")
  if tvb:len() < CIM_OCTETS then return refuse(cim, sub, "Too short") end
  sub:add(cim.fields["version"], tvb(1, 1))
  if tvb(1, 1):bitfield(0, 4) ~= 0 then return refuse(cim, sub, "Unknown version") end
  pinfo.cols.info = tvb(1, 1):bitfield(7, 1) == 1 and "CIM, add flow" or "CIM, delete flow"
  sub:add(cim.fields["add"], tvb(1, 1))
  add_flow(cim, sub, tvb, 2)
  add_msdu(cim, sub, tvb, 16, MSDU_MOST)
end

local sfcm = protocol("sfcm", "Source Flow Control Message", "SFCM")
local SFCM_TYPES = { [1] = "Pause", [2] = "Resume" }
add_field(sfcm, "uint8", "version", "Version", base.DEC, nil, 0xf0)
add_field(sfcm, "uint8", "type", "Type", base.DEC, SFCM_TYPES, 0x0f)
add_field(sfcm, "uint16", "length", "Length", base.DEC)
add_field(sfcm, "uint8", "priority", "Priority", base.DEC, nil, 0xe0)
add_field(sfcm, "bool", "dscp_valid", "DSCP is valid", 8, nil, 0x01)
add_field(sfcm, "uint8", "dscp", "DSCP", base.DEC, nil, 0x3f)
add_field(sfcm, "uint16", "sequence", "Sequence number", base.DEC)
add_field(sfcm, "uint32", "pause_ns", "Pause time (ns)", base.DEC)
add_flow_fields(sfcm)
add_field(sfcm, "ether", "queue.mac", "Congested queue: MAC address of the port")
add_field(sfcm, "uint16", "queue.number", "Congested queue: port and priority", base.HEX)
add_field(sfcm, "uint16", "queue.units", "Congested queue: length (64 octets)", base.DEC)
finish(sfcm)

local SFCM_HEAD, SFCM_VALUE, SFCM_VERSION = 4, 34, 1

local function dissect_sfcm(tvb, pinfo, tree)
  local sub = open(sfcm, tvb(), pinfo, tree, "SFCM")
  if tvb:len() < SFCM_HEAD then return refuse(sfcm, sub, "Too short") end
  sub:add(sfcm.fields["version"], tvb(1, 1))
  if tvb(1, 1):bitfield(0, 4) ~= SFCM_VERSION then return refuse(sfcm, sub, "Unknown version") end
  local kind, length = tvb(1, 1):bitfield(4, 4), tvb(2, 2):uint()
  sub:add(sfcm.fields["type"], tvb(1, 1))
  sub:add(sfcm.fields["length"], tvb(2, 2))
  if length < SFCM_VALUE or SFCM_HEAD + length > tvb:len() then
    return refuse(sfcm, sub, "Length of " .. length)
  end
  local value = tvb(0, SFCM_HEAD + length)
  sub:add(sfcm.fields["priority"], value(4, 1))
  sub:add(sfcm.fields["dscp_valid"], value(4, 1))
  if value(4, 1):bitfield(7, 1) == 1 then sub:add(sfcm.fields["dscp"], value(5, 1)) end
  sub:add(sfcm.fields["sequence"], value(6, 2))
  sub:add(sfcm.fields["pause_ns"], value(8, 4))
  add_flow(sfcm, sub, value, 12)
  sub:add(sfcm.fields["queue.mac"], value(26, 6))
  sub:add(sfcm.fields["queue.number"], value(32, 2))
  sub:add(sfcm.fields["queue.units"], value(34, 2))
  add_msdu(sfcm, sub, value, 36, MSDU_MOST)
  local name = SFCM_TYPES[kind] or ("type " .. kind)
  pinfo.cols.info = "SFCM " .. name .. " " .. value(8, 4):uint() .. " ns"
end

-- The subtype says which of the two it is, behind an EtherType as in a UDP datagram.
local congestion = Proto("selvage_congestion", "CIM or SFCM")

function congestion.dissector(tvb, pinfo, tree)
  local subtype = tvb:len() > 0 and tvb(0, 1):uint() or -1
  if subtype == 0 then
    dissect_cim(tvb, pinfo, tree)
  elseif subtype == 1 then
    dissect_sfcm(tvb, pinfo, tree)
  else
    return 0
  end
  return tvb:len()
end

ethertypes:add(0x89a2, congestion)
udp_ports:add(49374, congestion)
udp_ports:add(49375, congestion)

-- What came out of order follows the acknowledge header of a RoCEv2 packet with an opcode that is
-- left to vendors, so Wireshark's own dissector shows it as octets.
local selective_ack = protocol("selective_ack", "Selective Acknowledgement", "SACK")
add_field(selective_ack, "uint8", "flags", "Flags", base.HEX)
add_field(selective_ack, "uint24", "base", "Packet of the lowest bit", base.DEC)
add_field(selective_ack, "uint32", "bitmap", "Packets that have arrived", base.HEX)
finish(selective_ack)

local SELECTIVE_OPCODE, BTH_OCTETS, AETH_OCTETS, SACK_OCTETS = 0xd1, 12, 4, 8
local bth_opcode = Field.new("infiniband.bth.opcode")

function selective_ack.proto.dissector(tvb, pinfo, tree)
  local opcode = bth_opcode()
  if opcode == nil or opcode.value ~= SELECTIVE_OPCODE then return 0 end
  local at = opcode.offset + BTH_OCTETS + AETH_OCTETS
  if tvb:len() < at + SACK_OCTETS then return 0 end
  local sub = tree:add(selective_ack.proto, tvb(at, SACK_OCTETS))
  sub:add(selective_ack.fields["flags"], tvb(at, 1))
  sub:add(selective_ack.fields["base"], tvb(at + 1, 3))
  sub:add(selective_ack.fields["bitmap"], tvb(at + 4, 4))
  pinfo.cols.info = "SACK from " .. tvb(at + 1, 3):uint()
end

register_postdissector(selective_ack.proto)

--- Packet delivery sublayer of Ultra Ethernet Transport: requests, ACK_CC with NSCC's state, NACK.
local uet = protocol("selvage_uet", "Ultra Ethernet Transport", "UET")
add_field(uet, "uint16", "prologue", "Type, next header, flags", base.HEX)
add_field(uet, "uint32", "psn", "PSN, or CACK PSN", base.DEC)
add_field(uet, "int16", "ack_offset", "ACK PSN offset", base.DEC)
add_field(uet, "uint16", "spdcid", "SPDCID", base.DEC)
add_field(uet, "uint16", "dpdcid", "DPDCID", base.DEC)
add_field(uet, "int16", "sack_offset", "SACK PSN offset", base.DEC)
add_field(uet, "uint64", "sack_bitmap", "SACK bitmap", base.HEX)
add_field(uet, "uint24", "received", "Received, in units of 256 octets", base.DEC)
add_field(uet, "uint16", "out_of_order", "Packets out of order", base.DEC)
add_field(uet, "uint32", "credit", "Credit, in units of 256 octets", base.DEC)
add_field(uet, "uint24", "target", "Credit target, in units of 256 octets", base.DEC)
add_field(uet, "uint8", "code", "NACK code (1 trimmed, 2 trimmed at the last hop)", base.DEC)
finish(uet)

local UET_PORT, UET_REQUEST_OCTETS = 4793, 12
local UET_REQUEST, UET_ACK_CC, UET_NACK, UET_CONTROL, UET_CC_REQUEST = 2, 8, 10, 11, 13
local UET_LEAST = {
  [UET_REQUEST] = 12, [UET_ACK_CC] = 32, [UET_NACK] = 16, [UET_CONTROL] = 16, [UET_CC_REQUEST] = 16,
}
local UET_NAMES = {
  [UET_REQUEST] = "request ", [UET_ACK_CC] = "ACK to ", [UET_NACK] = "NACK of ",
  [UET_CONTROL] = "credit, expected ", [UET_CC_REQUEST] = "request ",
}

function uet.proto.dissector(tvb, pinfo, tree)
  if tvb:len() < UET_REQUEST_OCTETS then return 0 end
  local kind = bit.rshift(tvb(0, 1):uint(), 3)
  if UET_LEAST[kind] == nil or tvb:len() < UET_LEAST[kind] then return 0 end
  local sub = tree:add(uet.proto, tvb())
  pinfo.cols.protocol = "UET"
  sub:add(uet.fields["prologue"], tvb(0, 2))
  sub:add(uet.fields["psn"], tvb(4, 4))
  sub:add(uet.fields["spdcid"], tvb(8, 2))
  sub:add(uet.fields["dpdcid"], tvb(10, 2))
  pinfo.cols.info = UET_NAMES[kind] .. tvb(4, 4):uint()
  if kind == UET_NACK then sub:add(uet.fields["code"], tvb(2, 1)) end
  if kind == UET_CONTROL then sub:add(uet.fields["credit"], tvb(12, 4)) end
  if kind == UET_CC_REQUEST then sub:add(uet.fields["target"], tvb(13, 3)) end
  if kind ~= UET_ACK_CC then return tvb:len() end
  sub:add(uet.fields["ack_offset"], tvb(2, 2))
  sub:add(uet.fields["sack_offset"], tvb(14, 2))
  sub:add(uet.fields["sack_bitmap"], tvb(16, 8))
  sub:add(uet.fields["received"], tvb(27, 3))
  sub:add(uet.fields["out_of_order"], tvb(30, 2))
  return tvb:len()
end

udp_ports:add(UET_PORT, uet.proto)
