-- SPDX-License-Identifier: Apache-2.0
--
-- A Wireshark dissector for electd-protocol(7). Load it with
--
--	wireshark -X lua_script:electd.lua
--
-- or copy this file into the folder that Wireshark calls Lua plugins (Help, About, Folders). Each
-- field has the text of `electctl decode`; tests/lan/dissector.py compares the two. Tags are not
-- checked, because Wireshark has no key.

local electd = Proto("electd", "electd election")

local HEADER, TAG, FIELD_HEAD = 80, 16, 4
-- Hosts skip a field from this number on if it does not fit its message; below, they refuse the
-- message.
local SKIP_FROM = 0x8000

local types = { "Hello", "AYCoord", "AYCoord_answer", "AYThere", "AYThere_answer", "Invitation",
	"Accept", "Accept_answer", "Ready", "Ready_answer", "Decline", "Goodbye", "Challenge",
	"Challenge_answer",
	[0x10] = "AYUp", [0x11] = "AYUp_answer", [0x12] = "AYNormal", [0x13] = "AYNormal_answer",
	[0x14] = "EnterElection", [0x15] = "EnterElection_answer", [0x16] = "SetCoord",
	[0x17] = "SetCoord_answer", [0x18] = "NewState", [0x19] = "NewState_answer" }
local states = { [0] = "Down", "Election", "Reorganizing", "Normal" }
local answers = { [0] = "yes", "no", "not-my-group", "not-in-it" }
local invites = { [0] = "merge", "succession", "join", "yield" }
local losses = { [0] = "silence", "stop", "resign", "restart", "left", "crash", "unanswered",
	"crashing" }
local whys = { [0] = "stale", "better", "busy", "yielding", "coordinator-alive", "refused" }
-- The meaning of the field `other` in these messages.
local others = { AYCoord = "next in succession", AYCoord_answer = "the coordinator it follows",
	Goodbye = "successor", AYNormal = "next in succession",
	EnterElection_answer = "the coordinator it leaves, if that led" }

local header = {
	version = ProtoField.uint8("electd.protocol", "Version of the protocol"),
	type = ProtoField.uint8("electd.type", "Type", base.DEC, types),
	length = ProtoField.uint16("electd.length", "Length"),
	key = ProtoField.uint8("electd.key", "Key id"),
	algorithm = ProtoField.uint8("electd.algorithm", "Algorithm"),
	to_all = ProtoField.bool("electd.to_all", "To all hosts", 8, nil, 1),
	domain = ProtoField.uint32("electd.domain_hash", "Domain hash", base.HEX),
	sender = ProtoField.bytes("electd.sender", "Sender"),
	session = ProtoField.uint64("electd.session", "Session", base.HEX),
	incarnation = ProtoField.uint64("electd.incarnation", "Start number"),
	sequence = ProtoField.uint64("electd.sequence", "Sequence"),
	transaction = ProtoField.bytes("electd.transaction", "Transaction"),
	counter = ProtoField.uint64("electd.counter", "Highest counter known"),
	tag = ProtoField.bytes("electd.tag", "Tag (not checked)"),
}
local refused = ProtoExpert.new("electd.refused", "electd refuses this", expert.group.MALFORMED,
	expert.severity.ERROR)
electd.experts = { refused }

-- ---- values --------------------------------------------------------------------------------------

local function hex(range)
	local text = range:bytes():tohex(true)
	return text:find("[^0]") and text or "-"
end

local function id(v, at)
	return hex(v(at, 16))
end

local function number(v, at, size)
	return size == 8 and tostring(v(at, 8):uint64()) or tostring(v(at, size):uint())
end

-- Returns a name, which follows its length of one byte, and the offset after it.
local function short_name(v, at)
	local length = v(at, 1):uint()
	return length > 0 and v(at + 1, length):string() or "", at + 1 + length
end

local function plural(count, what)
	return count .. " " .. what .. (count == 1 and "" or "s")
end

-- The low 24 bits of the 32-bit FNV-1a hash. It multiplies in two parts, because the product of two
-- 32-bit numbers exceeds the precision of a Lua number.
local function tag_of(range)
	local bytes, hash = range:bytes(), 0x811c9dc5
	for i = 0, bytes:len() - 1 do
		hash = bit.bxor(hash, bytes:get_index(i)) % 2 ^ 32
		hash = ((hash % 256) * 2 ^ 24 + hash * 0x193) % 2 ^ 32
	end
	return hash % 2 ^ 24
end

local function group(v, at)
	local coordinator, counter = id(v, at), number(v, at + 16, 8)
	if coordinator == "-" and counter == "0" then
		return "none"
	end
	return coordinator .. "." .. counter
end

-- Returns an address and the offset after it.
local function address(v, at)
	local family, port = v(at, 1):uint(), v(at + 1, 2):uint()
	if family == 4 then
		return tostring(v(at + 3, 4):ipv4()) .. ":" .. port, at + 7
	elseif family == 6 then
		return "[" .. tostring(v(at + 3, 16):ipv6()) .. "]:" .. port, at + 19
	end
	return "the sender's address", at + 3
end

local function word(list)
	return function(v)
		return list[v(0, 1):uint()] or "value " .. v(0, 1):uint()
	end
end

-- ---- one function for each field: returns its text, and a line for each item of a list ---------------

local show = {}

function show.group(v)
	local token = v(16, 8):uint64():lshift(24) + UInt64(tag_of(v(0, 16)))
	if group(v, 0) == "none" then
		token = UInt64(0)
	end
	return group(v, 0) .. " (token " .. tostring(token) .. ")"
end

function show.standing(v)
	local bits, size = v(0, 1):uint(), v(1, 2):uint()
	local text = bit.band(bits, 1) > 0 and "may lead, " or "may not lead, "
	if bit.band(bits, 2) > 0 then text = text .. "leads, " end
	if bit.band(bits, 4) > 0 then text = text .. "held, " end
	if bit.band(bits, 16) > 0 then
		text = text .. "preempt, "
	elseif bit.band(bits, 8) > 0 then
		text = text .. "preempt (not agreed, or waits), "
	end
	return text .. plural(size, "host") .. ", priority " .. number(v, 3, 1)
end

function show.floor(v)
	return "token " .. number(v, 0, 8) .. " (counter " .. tostring(v(0, 8):uint64():rshift(24)) .. ")"
end

function show.name(v)
	return v(0, v:len()):string()
end
show.other_name = show.name
show.new_name = show.name
show.version = show.name

function show.room(v)
	return v:len() .. " bytes"
end

function show.address(v)
	return tostring(v:len() == 4 and v(0, 4):ipv4() or v(0, 16):ipv6())
end

function show.timings(v)
	return "beacon every " .. number(v, 0, 4) .. " us, dead after " .. number(v, 4, 4) .. " us"
end

function show.list_version(v)
	return number(v, 0, 4)
end

function show.digest(v)
	return v(0, 8):bytes():tohex(true)
end

function show.other(v, message)
	return id(v, 0) .. (others[message] and " (" .. others[message] .. ")" or "")
end

show.answer = word(answers)
show.invite = word(invites)
show.loss = word(losses)
show.loss_exact = show.loss
show.why = word(whys)
show.state = word(states)

function show.probe(v)
	return v(0, 1):uint() > 0 and "yes: asks for an answer" or "no: routine"
end

function show.from_group(v)
	return group(v, 0)
end

function show.inviter(v)
	return id(v, 0) .. " at " .. address(v, 48), { "session " .. v(16, 8):bytes():tohex(true) ..
		", transaction " .. id(v, 32) }
end

function show.expected(v)
	return number(v, 0, 2) .. " hosts may answer"
end

function show.nonce(v)
	return id(v, 0)
end

function show.foreign(v)
	local items, at = {}, 0
	while at < v:len() do
		local name, behind = short_name(v, at + 32)
		items[#items + 1] = name .. " " .. id(v, at) .. " heard by " .. id(v, at + 16)
		at = behind
	end
	return #items .. " coordinators of other groups", items
end

function show.groups(v)
	local items = {}
	for at = 0, v:len() - 26, 26 do
		items[#items + 1] = group(v, at) .. ", " .. number(v, at + 24, 2) .. " hosts"
	end
	return #items .. " invited", items
end

function show.accepted(v)
	local items = {}
	for at = 0, v:len() - 4, 4 do
		items[#items + 1] = v(at, 4):bytes():tohex(true)
	end
	return #items .. " hosts", items
end

function show.part(v, _, fields)
	local first, what, here = v(4, 2):uint(), "bytes", 0
	if fields.members then
		what, here = "members", select(3, show.members(fields.members))
	elseif fields.piece then
		here = fields.piece:len()
	end
	return string.format("%d of %d: %s %d to %d of %d", v(0, 2):uint() + 1, v(2, 2):uint(), what,
		first + 1, first + here, v(6, 2):uint())
end

function show.missing(v)
	local found = {}
	for i = 0, v:len() * 8 - 1 do
		if bit.band(v(math.floor(i / 8), 1):uint(), bit.lshift(1, i % 8)) > 0 then
			found[#found + 1] = i
		end
	end
	return #found > 0 and "members number " .. table.concat(found, ", ") .. " must answer" or
		"no host"
end

function show.members(v)
	local items, at = {}, 0
	while at < v:len() do
		local place, behind = address(v, at + 32)
		local name, last = short_name(v, behind + 2)
		local may_lead = bit.band(v(behind + 1, 1):uint(), 1) > 0
		items[#items + 1] = name .. " " .. place .. ", priority " .. number(v, behind, 1) ..
			(may_lead and "" or " (may not lead)") .. ", start number " ..
			number(v, at + 24, 8) .. " " .. id(v, at) .. " session " ..
			v(at + 16, 8):bytes():tohex(true)
		at = last
	end
	return #items .. " hosts", items, #items
end

function show.piece(v)
	return v:len() .. " bytes of the definition"
end

function show.quorum(v)
	return number(v, 0, 2)
end

function show.known(v)
	return "start number " .. number(v, 0, 8)
end

function show.bound(v)
	return "may be in another quorum for " .. number(v, 0, 4) .. " us more"
end

function show.dead_after(v)
	return number(v, 0, 4) .. " us"
end

function show.next(v)
	return number(v, 0, 4) .. " us to the next beacon"
end

function show.heard(v)
	return "session " .. v(0, 8):bytes():tohex(true) .. " up to sequence " .. number(v, 24, 8) ..
		" to one, " .. number(v, 32, 8) .. " to all; certainly used " .. number(v, 8, 8) .. ", " ..
		number(v, 16, 8)
end

function show.tops(v)
	return "up to sequence " .. number(v, 0, 8) .. " to one, " .. number(v, 8, 8) .. " to all, " ..
		number(v, 16, 1) .. " recent"
end

function show.crashed(v)
	return id(v, 0) .. " session " .. v(16, 8):bytes():tohex(true) .. ", waited for " ..
		number(v, 24, 4) .. " us more"
end

function show.guide(v)
	return id(v, 0) .. " at " .. address(v, 24) .. ", session " .. v(16, 8):bytes():tohex(true)
end

-- A host counts no more than 6.
function show.patience(v)
	local alarms = math.min(v(0, 1):uint(), 6)
	return alarms .. " false suspicions, " .. math.min(v(1, 1):uint(), alarms) ..
		" of these while its kernel was silent"
end

function show.family(v)
	return "beacons go by IPv" .. number(v, 0, 1) .. " only"
end

function show.hears(v)
	return number(v, 0, 1) .. " addresses of IPv4, " .. number(v, 1, 1) .. " of IPv6, by multicast"
end

function show.succeeded(v)
	return group(v, 0) .. ", for " .. (losses[v(24, 1):uint()] or number(v, 24, 1))
end

local function key(v, at)
	if v(at, 1):uint() == 0 then
		return "0 (built in)"
	end
	return number(v, at, 1) .. " (" .. v(at + 1, 4):bytes():tohex(true) .. ")"
end

function show.keys(v)
	local text = "sends " .. key(v, 0)
	for at = 5, v:len() - 5, 5 do
		text = text .. (at == 5 and ", accepts also " or ", ") .. key(v, at)
	end
	return text
end

function show.key_rows(v)
	local items = {}
	for at = 0, v:len() - 9, 9 do
		items[#items + 1] = key(v, at) .. ": " .. number(v, at + 5, 2) ..
			" do not accept it, " .. number(v, at + 7, 2) .. " send it"
	end
	return #items .. " keys of the members", items
end

function show.key_lags(v, _, fields)
	local items = {}
	for at = 0, v:len() - 18, 18 do
		items[#items + 1] = id(v, at) .. (v(at + 17, 1):uint() > 0 and " sends " or
			" does not accept ") .. key(fields.key_rows, 9 * v(at + 16, 1):uint())
	end
	return tostring(#items), items
end

local why_not_kinds = { "sick", "unknown", "barred", "held", "state-file", "duplicate-id",
	"resigned", "cut-off" }

-- Returns the reason at `at`, and the offset after it.
local function why_not(v, at)
	local text = why_not_kinds[v(at, 1):uint()] or "other"
	for _, form in ipairs({ " (%s)", ": %s" }) do
		local length = v(at + 1, 1):uint()
		if length > 0 then
			text = text .. form:format(v(at + 2, length):string())
		end
		at = at + 1 + length
	end
	return text, at + 1
end

function show.why_not(v)
	return (why_not(v, 0))
end

function show.why_nots(v)
	local items, at = {}, 0
	while at < v:len() do
		local text, behind = why_not(v, at + 2)
		items[#items + 1] = "place " .. number(v, at, 2) .. ": " .. text
		at = behind
	end
	return tostring(#items), items
end

-- {number on the wire: name}
local names = { "group", "standing", "floor", "name", "timings", "list_version", "digest", "other",
	"answer", "probe", "invite", "loss", "from_group", "inviter", "expected", "why", "nonce",
	"foreign", "groups", "accepted", "part", "missing", "members", "piece",
	"state", [0x8000] = "quorum", [0x8001] = "known", [0x8002] = "other_name", [0x8003] = "bound",
	[0x8004] = "loss_exact", [0x8005] = "next", [0x8006] = "crashed",
	[0x8007] = "keys", [0x8008] = "key_rows", [0x8009] = "key_lags",
	[0x800a] = "why_not", [0x800b] = "why_nots", [0x800c] = "version",
	[0x800d] = "room", [0x800e] = "address", [0x800f] = "guide",
	[0x8010] = "patience", [0x8011] = "succeeded", [0x8012] = "dead_after",
	[0x8013] = "new_name", [0x8014] = "heard", [0x8015] = "tops",
	[0x8016] = "family", [0x8017] = "hears" }

local items = ProtoField.string("electd.item", "Item")
local unknown = ProtoField.bytes("electd.unknown", "Unknown field")
local fields, all = {}, { items, unknown }
for _, name in pairs(names) do
	fields[name] = ProtoField.string("electd." .. name, name)
	all[#all + 1] = fields[name]
end
for _, field in pairs(header) do
	all[#all + 1] = field
end
electd.fields = all

-- ---- the datagram ----------------------------------------------------------------------------------

local function show_header(tree, data)
	local h = tree:add(data(0, HEADER), "Header")
	h:add(header.version, data(4, 1))
	h:add(header.type, data(5, 1))
	h:add(header.length, data(6, 2))
	h:add(header.key, data(8, 1))
	h:add(header.algorithm, data(9, 1))
	h:add(header.to_all, data(10, 1))
	h:add(header.domain, data(12, 4))
	h:add(header.sender, data(16, 16))
	h:add(header.session, data(32, 8))
	h:add(header.incarnation, data(40, 8))
	h:add(header.sequence, data(48, 8))
	h:add(header.transaction, data(56, 16))
	h:add(header.counter, data(72, 8))
end

-- Returns the fields in order, { number, name, value }; their values by name; and false if they do
-- not fit.
local function split(data, last)
	local list, by_name, at = {}, {}, HEADER
	while at + FIELD_HEAD <= last do
		local which, length = data(at, 2):uint(), data(at + 2, 2):uint()
		if length == 0 or at + FIELD_HEAD + length > last then
			return list, by_name, false
		end
		local value = data(at + FIELD_HEAD, length)
		list[#list + 1] = { number = which, name = names[which], value = value }
		if names[which] then
			by_name[names[which]] = value:tvb()
		end
		at = at + FIELD_HEAD + length
	end
	return list, by_name, at == last
end

local function show_field(tree, field, message, by_name)
	if not field.name then
		tree:add(unknown, field.value)
		return
	end
	local good, text, list = pcall(show[field.name], field.value:tvb(), message, by_name)
	if not good then
		local item = tree:add(unknown, field.value)
		if field.number < SKIP_FROM then
			item:add_proto_expert_info(refused)
		end
		return
	end
	local item = tree:add(fields[field.name], field.value, text)
	for _, line in ipairs(list or {}) do
		item:add(items, field.value, line)
	end
end

function electd.dissector(data, info, root)
	if data:len() < HEADER + TAG or data(0, 4):string() ~= "ECLT" then
		return 0
	end
	local message = types[data(5, 1):uint()] or "type " .. data(5, 1):uint()
	local last = data:len() - TAG
	local tree = root:add(electd, data(), "electd, " .. message)
	info.cols.protocol = "electd"
	info.cols.info = message
	show_header(tree, data)
	local list, by_name, whole = split(data, last)
	for _, field in ipairs(list) do
		show_field(tree, field, message, by_name)
	end
	if not whole or data(6, 2):uint() ~= data:len() then
		tree:add_proto_expert_info(refused)
	end
	tree:add(header.tag, data(last, TAG))
	return data:len()
end

electd:register_heuristic("udp", function(data, info, root)
	return electd.dissector(data, info, root) > 0
end)
