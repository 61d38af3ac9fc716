/** The terms by which an object of a snapshot is found. */
import { readNetwork } from "../../../../core/ip-networks.ts";
import { readMac, readVlan } from "./addresses.ts";
import { listNamingValues, splitDn } from "./dn.ts";

export interface Term {
	readonly attribute: string;
	/** As captured, at most TERM_MAX characters. */
	readonly value: string;
	/** In lower case. MAC addresses and networks in their normal form. */
	readonly term: string;
	/** Address or prefix without host bits; null where the term is none. */
	readonly net: string | null;
	/** First and last VLAN; null where the term is none. */
	readonly vlans: readonly [number, number] | null;
}

/** Characters of a term. Longer ones are found by their beginning. */
const TERM_MAX = 500;
/** Terms of an object. */
const TERMS_MAX = 40;

const NAMES = ["name", "nameAlias", "descr", "serial", "dnsName", "displayName"];
const ADDRESS = /(^ip|ip$|^addr|addr$|address|subnet|prefix|gateway|nexthop|nh)/i;
const MAC = /(mac|^addr|addr$)/i;
const ENCAP = /encap$/i;
/** Addresses that stand for "none". */
const UNSET = new Set(["0.0.0.0/32", "::/128", "0.0.0.0/0", "::/0"]);

interface Captured {
	readonly dn: string;
	readonly attributes: Readonly<Record<string, string>>;
}

export function extractTerms({ dn, attributes }: Captured): Term[] {
	const rn = splitDn(dn).at(-1) ?? dn;
	const found = new Map<string, Term>();
	const add = (term: Term | null) => {
		if (term === null || term.term === "" || found.size >= TERMS_MAX) return;
		const key = `${term.term} ${term.vlans?.join() ?? ""}`;
		if (!found.has(key)) found.set(key, term);
	};
	for (const name of NAMES) add(readAnyTerm(name, attributes[name] ?? ""));
	for (const [name, value] of Object.entries(attributes)) {
		if (name === "dn" || name === "rn") continue;
		if (ADDRESS.test(name)) add(readNetworkTerm(name, value));
		if (MAC.test(name)) add(readMacTerm(name, value));
		if (ENCAP.test(name)) add(readVlanTerm(name, value));
	}
	add(readRange(attributes));
	for (const value of listNamingValues(rn)) add(readAnyTerm("dn", value));
	add(createTerm("dn", rn, rn.toLowerCase()));
	return [...found.values()];
}

/** A name for people: the object's name, its naming value, or the last part of its DN. */
export function getLabel({ dn, attributes }: Captured): string {
	const rn = splitDn(dn).at(-1) ?? dn;
	const label = attributes.name || listNamingValues(rn).join(" ") || rn;
	return label.slice(0, TERM_MAX);
}

function createTerm(attribute: string, value: string, term: string): Term {
	return { attribute, value: value.slice(0, TERM_MAX), term: term.slice(0, TERM_MAX), net: null, vlans: null };
}

/** The term of a value that may be anything. */
function readAnyTerm(attribute: string, value: string): Term {
	return (
		readNetworkTerm(attribute, value) ??
		readMacTerm(attribute, value) ??
		readVlanTerm(attribute, value) ??
		createTerm(attribute, value, value.trim().toLowerCase())
	);
}

function readNetworkTerm(attribute: string, value: string): Term | null {
	const network = readNetwork(value);
	if (network === null || UNSET.has(network.network)) return null;
	const text = value.includes("/") ? `${network.address}/${network.length}` : network.address;
	return { ...createTerm(attribute, value, text), net: network.network };
}

function readMacTerm(attribute: string, value: string): Term | null {
	const mac = /[.:-]/.test(value) ? readMac(value) : null;
	return mac === null || mac === "00:00:00:00:00:00" ? null : createTerm(attribute, value, mac.toLowerCase());
}

function readVlanTerm(attribute: string, value: string): Term | null {
	const vlan = readVlan(value, { isBare: false });
	return vlan === null ? null : { ...createTerm(attribute, value, `vlan-${vlan}`), vlans: [vlan, vlan] };
}

/** A range of VLANs, as blocks of encapsulations have it in `from` and `to`. */
function readRange({ from = "", to = "" }: Captured["attributes"]): Term | null {
	const [low, high] = [readVlan(from, { isBare: false }), readVlan(to, { isBare: false })];
	if (low === null || high === null || low >= high) return null;
	return { ...createTerm("from", `${from} - ${to}`, `vlan-${low} - vlan-${high}`), vlans: [low, high] };
}
