import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../errors.ts";
import { createLoader } from "../load.ts";
import { createRegistry } from "../model/registry.ts";
import { createStore } from "../store/store.ts";
import { compileFilter } from "./filter.ts";

const registry = createRegistry();
const store = createStore();
const load = createLoader(store, registry).load;
const loadObject = (cls: string, dn: string, attributes: Record<string, string>) =>
	load([{ [cls]: { attributes: { dn, ...attributes } } }]);

loadObject("vzEntry", "uni/tn-t/flt-f/e-web", {
	name: "web",
	dFromPort: "http",
	dToPort: "8080",
	tcpRules: "est,syn",
	stateful: "yes",
	modTs: "2026-01-02T03:04:05.000+00:00",
	prot: "tcp",
});
loadObject("fvBD", "uni/tn-t/BD-b", { name: "b-prod-1", descr: 'say "hi", (you)', mtu: "inherit", modTs: "never" });
loadObject("faultInst", "uni/tn-t/BD-b/fault-F0467", {
	code: "F0467",
	severity: "major",
	lc: "soaking,raised",
	lastTransition: "2026-01-01T00:00:00.000+02:00",
});

function passesFilter(filter: string, dn: string): boolean {
	const mo = store.get(dn);
	if (mo === undefined) throw new Error(`no object ${dn}`);
	return compileFilter(filter, registry)(mo);
}

function readRefusal(filter: string): string {
	try {
		compileFilter(filter, registry);
	} catch (error) {
		if (error instanceof ApiError) return `${error.code} ${error.message}`;
		throw error;
	}
	return "accepted";
}

const ENTRY = "uni/tn-t/flt-f/e-web";
const BD = "uni/tn-t/BD-b";
const FAULT = "uni/tn-t/BD-b/fault-F0467";

describe("filters", () => {
	it.each([
		['eq(vzEntry.name,"web")', ENTRY, true],
		["eq(vzEntry.name,web)", ENTRY, true],
		['ne( vzEntry.name , "web" )', ENTRY, false],
		['eq(vzEntry.dn,"uni/tn-t/flt-f/e-web")', ENTRY, true],
		['eq(vzEntry.rn,"e-web")', ENTRY, true],
		// Numbers with names: either writing finds them, and they rank as numbers.
		['eq(vzEntry.dFromPort,"80")', ENTRY, true],
		['eq(vzEntry.dFromPort,"http")', ENTRY, true],
		['lt(vzEntry.dFromPort,"443")', ENTRY, true],
		['gt(vzEntry.dToPort,"443")', ENTRY, true],
		['ge(vzEntry.dToPort,"8080")', ENTRY, true],
		['le(vzEntry.dToPort,"8079")', ENTRY, false],
		['bw(vzEntry.dToPort,"8080","8090")', ENTRY, true],
		['bw(vzEntry.dToPort,"1","8080")', ENTRY, true],
		['bw(vzEntry.dToPort,"1","8079")', ENTRY, false],
		['eq(vzEntry.stateful,"true")', ENTRY, true],
		// Bits.
		['anybit(vzEntry.tcpRules,"ack,syn")', ENTRY, true],
		['allbits(vzEntry.tcpRules,"ack,syn")', ENTRY, false],
		['allbits(vzEntry.tcpRules,"syn,est")', ENTRY, true],
		['eq(vzEntry.tcpRules,"syn,est")', ENTRY, true],
		// Regular expressions, unanchored.
		['wcard(fvBD.name,"prod")', BD, true],
		['wcard(fvBD.name,"^prod")', BD, false],
		['wcard(fvBD.name,"^b-.*[0-9]$")', BD, true],
		['wcard(fvBD.name,"b-(dev|prod)-\\d")', BD, true],
		// Commas, parentheses and escaped quotes inside a value.
		['eq(fvBD.descr,"say \\"hi\\", (you)")', BD, true],
		// Logic, with one argument and with many.
		['and(ne(fvBD.name,"x"))', BD, true],
		['or(eq(fvBD.name,"x"),eq(fvBD.name,"b-prod-1"),false())', BD, true],
		['xor(eq(fvBD.name,"b-prod-1"),true())', BD, false],
		["xor(true(),true(),true())", BD, true],
		["not(false())", BD, true],
		["and(true(),passive(),pholder())", BD, true],
		// Times: ISO with and without offset, epoch seconds; equal when they are the same moment.
		['gt(faultInst.lastTransition,"2025-12-31T21:59:59")', FAULT, true],
		['lt(faultInst.lastTransition,"1767218400.001")', FAULT, true],
		['eq(faultInst.lastTransition,"2025-12-31T22:00:00+00:00")', FAULT, true],
		['gt(fvBD.modTs,"never")', BD, false],
		// Enumerations rank as declared, not by letter.
		['gt(faultInst.severity,"minor")', FAULT, true],
		['lt(faultInst.severity,"critical")', FAULT, true],
		// Superclasses.
		['eq(faultInfo.code,"F0467")', FAULT, true],
		['anybit(faultInfo.lc,"raised")', FAULT, true],
		['eq(namingNamedObject.name,"b-prod-1")', BD, true],
		// A property of another class matches nothing.
		['ne(fvCtx.name,"x")', BD, false],
	])("%s on %s is %s", (filter, dn, expected) => {
		expect(passesFilter(filter, dn)).toBe(expected);
	});

	it.each([
		['eq(faultInst.cod,"F0467")', "121 Prop 'cod' not found in class 'faultInst' property table"],
		['eq(faultIns.code,"F0467")', "122 class faultIns not found"],
		['eq(faultInst.code,"F999999")', "301 Incorrect filter format for faultInst.code, value 'F999999' is not valid"],
		[
			'eq(faultInst.severity,"terrible")',
			"301 Incorrect filter format for faultInst.severity, value 'terrible' is not valid",
		],
		[
			'anybit(vzEntry.tcpRules,"urgent")',
			"301 Incorrect filter format for vzEntry.tcpRules, value 'urgent' is not valid",
		],
		['gt(vzEntry.dFromPort,"many")', "301 Incorrect filter format for vzEntry.dFromPort, value 'many' is not valid"],
		[
			'gt(faultInst.lastTransition,"yesterday")',
			"301 Incorrect filter format for faultInst.lastTransition, value 'yesterday' is not valid",
		],
		['wcard(fvBD.name,"*prod*")', "301 Incorrect filter format for fvBD.name, value '*prod*' is not valid"],
		['allbit(vzEntry.tcpRules,"syn")', "301 Incorrect filter format, 'allbit': no such filter type"],
	])("%s is refused", (filter, expected) => {
		expect(readRefusal(filter)).toBe(expected);
	});

	it.each([
		"",
		"eq",
		"eq(",
		"eq()",
		"eq(fvBD.name)",
		'eq(fvBD.name,"b"',
		'eq(fvBD.name,"b',
		'eq(fvBD.name,"b")x',
		'eq(name,"b")',
		"and()",
		"not()",
		"bw(fvBD.mtu,1)",
	])("'%s' is no filter", (filter) => {
		expect(readRefusal(filter)).toMatch(/^301 Incorrect filter format/);
	});

	it("nesting without end is refused, not run out of stack", () => {
		expect(readRefusal(`${"not(".repeat(100_000)}true()${")".repeat(100_000)}`)).toMatch(/^301 /);
	});

	it("any combination means what its parts mean together", () => {
		interface Node {
			readonly text: string;
			readonly value: boolean;
		}
		const { node } = fc.letrec<{ node: Node }>((tie) => ({
			node: fc.oneof(
				{ depthSize: "small" },
				fc.constantFrom<Node>({ text: "true()", value: true }, { text: "false()", value: false }),
				fc.constantFrom<Node>(
					{ text: 'eq(fvBD.name,"b-prod-1")', value: true },
					{ text: 'wcard(fvBD.name,"^x")', value: false },
				),
				tie("node").map(({ text, value }) => ({ text: `not( ${text})`, value: !value })),
				fc
					.tuple(fc.constantFrom("and", "or", "xor"), fc.array(tie("node"), { minLength: 1, maxLength: 4 }))
					.map(([fn, args]) => ({
						text: `${fn}(${args.map(({ text }) => text).join(", ")})`,
						value:
							fn === "and"
								? args.every(({ value }) => value)
								: fn === "or"
									? args.some(({ value }) => value)
									: args.filter(({ value }) => value).length % 2 === 1,
					})),
			),
		}));
		fc.assert(
			fc.property(node, ({ text, value }) => {
				expect(passesFilter(text, BD)).toBe(value);
			}),
		);
	});

	it("any quoted value is compared as it stands", () => {
		const value = fc.string({ maxLength: 20 }).filter((text) => !text.includes('"') && !text.endsWith("\\"));
		fc.assert(
			fc.property(value, (name) => {
				loadObject("fvTenant", "uni/tn-v", { name });
				expect(passesFilter(`eq(fvTenant.name,"${name}")`, "uni/tn-v")).toBe(true);
			}),
		);
	});
});
