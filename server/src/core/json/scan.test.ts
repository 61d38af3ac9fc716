import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createScanner, expectEnd, SLOTS, scanValue } from "./scan.ts";
import { JsonTextError } from "./tokens.ts";

function isAccepted(text: string | Uint8Array): boolean {
	for (const record of [true, false]) {
		try {
			const scanner = createScanner(Buffer.from(text as string));
			scanValue(scanner, record);
			expectEnd(scanner);
		} catch (error) {
			if (error instanceof JsonTextError) return false;
			throw error;
		}
	}
	return true;
}

function isParsable(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

describe("the scanner takes what JSON.parse takes and nothing else", () => {
	test.each([
		"0",
		"-0",
		"01",
		"-",
		"1.",
		".5",
		"1.5e",
		"1e+",
		"1E-07",
		"+1",
		"0x1",
		"1e5.",
		"--1",
		"00",
		"-01",
		"NaN",
		"Infinity",
		"true",
		"tru",
		"truex",
		"false",
		"nul",
		"null",
		"",
		" ",
		"\t\n\r 1 ",
		"\v1",
		"\u00a01",
		"\ufeff1",
		'""',
		'"',
		'"\\',
		'"\\u12"',
		'"\\u12G4"',
		'"\\u12g4"',
		'"\\ud800"',
		'"\\x"',
		'"\\U0041"',
		'"\u007f"',
		'"\u0000"',
		'"\t"',
		"'a'",
		"[]",
		"[",
		"]",
		"[,]",
		"[1,]",
		"[1 2]",
		"[1]]",
		"[[]",
		"[}",
		"{}",
		"{",
		"}",
		"{]",
		'{"a"}',
		'{"a":}',
		'{"a":1,}',
		"{,}",
		'{"a" : 1 , "b":[{}, [] ]}',
		"{a:1}",
		"{1:1}",
		'{"a":1 "b":2}',
		'{"a"::1}',
		'[{"a":1}',
		'{"a":[1}',
		"1 1",
		"[]{}",
		'"a""b"',
	])("%j", (text) => {
		expect(isAccepted(text)).toBe(isParsable(text));
	});

	test("random texts out of JSON's own pieces", () => {
		const piece = fc.constantFrom(
			"{",
			"}",
			"[",
			"]",
			",",
			":",
			'"a"',
			'"\\n"',
			"1",
			"-2.5e3",
			"true",
			"null",
			" ",
			"\n",
			'"',
			"0",
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
				const text = pieces.join("");
				expect(isAccepted(text)).toBe(isParsable(text));
			}),
			{ numRuns: 3000 },
		);
	});

	test("texts of more than a megabyte are UTF-8 or not as a whole, whatever stands where they are cut", () => {
		const good = ["é", "€", "\u{1f600}", "\u{1f600}\u{1f600}"].map((text) => Buffer.from(text));
		const bad = [[0x80], [0x80, 0x80, 0x80, 0x80, 0x80], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xff]];
		const text = Buffer.alloc(2 ** 20 + 64);
		for (const bytes of [...good, ...bad.map((codes) => Buffer.from(codes))]) {
			for (let before = 0; before <= bytes.length + 1; before++) {
				text.fill("x").set(bytes, 2 ** 20 - before);
				let isTaken = true;
				try {
					createScanner(text);
				} catch (error) {
					expect(error).toMatchObject({ code: "encoding", offset: expect.closeTo(2 ** 20 - before, -1) });
					isTaken = false;
				}
				expect(isTaken).toBe(isUtf8(text));
				expect(isTaken).toBe(good.includes(bytes));
			}
		}
	});

	test("bytes that are not UTF-8 are refused where they are", () => {
		for (const bad of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]]) {
			const text = Buffer.concat([Buffer.from('["é'), Buffer.from(bad), Buffer.from('"]')]);
			expect(() => createScanner(text)).toThrow(
				expect.objectContaining({ code: "encoding", offset: expect.closeTo(4, -1) }),
			);
		}
	});
});

test("errors say where", () => {
	const failure = (text: string) => {
		try {
			const scanner = createScanner(Buffer.from(text));
			scanValue(scanner, false);
			expectEnd(scanner);
		} catch (error) {
			return (error as JsonTextError).message;
		}
	};
	expect(failure('{"a":1,}')).toBe('Unexpected "}" at byte 7');
	expect(failure("[1")).toBe("Unexpected end at byte 2");
	expect(failure('["\u0001"]')).toBe("Control character in a string at byte 2");
	expect(failure("[01]")).toBe("Number with a leading zero at byte 2");
});

test("depth and values are limited, not the call stack", () => {
	const nested = (levels: number) => Buffer.from("[".repeat(levels) + "]".repeat(levels));
	expect(isAccepted(nested(512))).toBe(true);
	expect(() => scanValue(createScanner(nested(513)), true)).toThrow(
		expect.objectContaining({ code: "depth", offset: 512 }),
	);
	const wide = createScanner(Buffer.from(`[${"1,".repeat(5000)}1]`), { maxNodes: 4000 });
	expect(() => scanValue(wide, true)).toThrow(expect.objectContaining({ code: "size" }));
});

test("the tape gives back the value", () => {
	fc.assert(
		fc.property(fc.jsonValue(), fc.nat({ max: 2 }), (value, space) => {
			const scanner = createScanner(Buffer.from(` ${JSON.stringify(value, null, space)}`));
			scanValue(scanner, true);
			expect(rebuildText(scanner.bytes, scanner.tape.nodes, 0)).toBe(JSON.stringify(value));
			expect(scanner.tape.nodes[3]).toBe(scanner.tape.used);
		}),
		{ numRuns: 200 },
	);
});

/** Compact text from the tape alone. */
function rebuildText(bytes: Buffer, nodes: Int32Array, node: number): string {
	const kind = (nodes[node] ?? 0) & 7;
	if (kind > 2) return bytes.toString("utf8", nodes[node + 1], nodes[node + 2]);
	const items: string[] = [];
	for (let at = node + SLOTS; at < (nodes[node + 3] ?? 0); at = nodes[at + 3] ?? 0)
		items.push(rebuildText(bytes, nodes, at));
	if (kind === 2) return `[${items.join(",")}]`;
	const pairs = items.flatMap((item, index) => (index % 2 === 0 ? [`${item}:${items[index + 1]}`] : []));
	return `{${pairs.join(",")}}`;
}
