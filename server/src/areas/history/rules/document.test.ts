import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonTextError } from "../../../core/json/tokens.ts";
import { type CaptureDocument, readCapture, readResult } from "./document.ts";

const limits = { maxBytes: 64 * 1024 * 1024 };

function readDocument(text: string): CaptureDocument {
	const document = readResult(Buffer.from(text), limits);
	if (document === null) throw new Error("not a document");
	return document;
}

const createBridgeDomain = (dn: string, more: Record<string, unknown> = {}) => ({
	fvBD: { attributes: { dn, ...more } },
});
const formatEnvelope = (...rows: unknown[]) => JSON.stringify({ totalCount: String(rows.length), imdata: rows });

describe("the text that is kept", () => {
	test.each([
		['{"imdata":[]}', '{"imdata":[]}'],
		[' { "imdata" : [ { "a" : 1.0 } , 2 ] , "x" : "a b" } ', '{"imdata":[{"a":1.0},2],"x":"a b"}'],
		['[ 1e400 ,\n-0, 12345678901234567890, "\\u0041 \\" \\\\" ]', '[1e400,-0,12345678901234567890,"\\u0041 \\" \\\\"]'],
		['{"10":1,"9":2,"a":{"b":1,"a":2},"b":1,"b":2}', '{"10":1,"9":2,"a":{"b":1,"a":2},"b":1,"b":2}'],
		['{"imdata":[1],"imdata":[2, 3]}', '{"imdata":[1],"imdata":[2,3]}'],
		["{}", "{}"],
		["[]", "[]"],
		['{"imdata":[],"__proto__":{"x":"é😀"}}', '{"imdata":[],"__proto__":{"x":"é😀"}}'],
	])("%s", (given, kept) => {
		const { content, sizeBytes } = readDocument(given);
		expect(content?.text.toString()).toBe(kept);
		expect(sizeBytes).toBe(Buffer.byteLength(kept));
	});

	test("any JSON is kept as it was, however it was spaced, and its rows are found", () => {
		fc.assert(
			fc.property(
				fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
				fc.nat({ max: 3 }),
				(value, space) => {
					const { content } = readDocument(JSON.stringify(value, null, space));
					if (content === null) throw new Error("not kept");
					expect(content.text.toString()).toBe(JSON.stringify(value));
					const { headBytes, tailBytes, slots, newRows } = content;
					const rows = slots.reduce((sum, slot) => sum + (newRows[slot]?.length ?? 0) + 1, slots.length > 0 ? -1 : 0);
					expect(headBytes + rows + tailBytes).toBe(content.text.length);
					for (const { start, length } of newRows) JSON.parse(content.text.toString("utf8", start, start + length));
				},
			),
			{ numRuns: 200 },
		);
	});

	test("a document over the limit is measured and searched, not kept", () => {
		const text = JSON.stringify({
			imdata: [createBridgeDomain("a", { descr: "x".repeat(1000) }), { error: { attributes: { code: "1" } } }],
		});
		const document = readResult(Buffer.from(text), { maxBytes: 200 });
		expect(document).toMatchObject({
			content: null,
			sizeBytes: text.length,
			signals: { error: { code: "1" }, rowCount: 2 },
		});
	});

	test("5 MB in one attribute", () => {
		const rows = [createBridgeDomain("uni/a", { big: "é\\".repeat(1_500_000) }), createBridgeDomain("uni/b")];
		const { content } = readDocument(formatEnvelope(...rows));
		expect(content?.text.toString()).toBe(formatEnvelope(...rows));
		expect(content?.newRows.map(({ objects }) => objects.length)).toEqual([1, 1]);
	});
});

describe("rows", () => {
	test.each([
		[formatEnvelope(createBridgeDomain("a"), createBridgeDomain("b")), "envelope", 2],
		["[1,2,[3]]", "array", 3],
		['{"dn":"uni/a"}', "object", 1],
		["{}", "object", 0],
		['{"imdata":{}}', "object", 1],
		['{"imdata":[1,2],"imdata":[3]}', "envelope", 1],
		['{"imdata":[1,2],"imdata":null}', "object", 1],
		['{"im\\u0064ata":[1,2]}', "envelope", 2],
	])("%s", (text, form, count) => {
		expect(readDocument(text)).toMatchObject({ form, signals: { rowCount: count } });
	});
});

describe("bodies", () => {
	test("give result_data and the rest apart", () => {
		const body = '{"query_name":"q","result_data":{"imdata":[ ]},"big":12345678901234567890}';
		const { rest, result } = readCapture(Buffer.from(body), limits);
		expect(rest).toBe('{"query_name":"q","big":12345678901234567890}');
		expect(result).toMatchObject({ form: "envelope", sizeBytes: 13 });
	});

	test.each([
		["{}", "{}", "missing"],
		["[]", null, "missing"],
		['"x"', null, "missing"],
		['{"result_data":null}', "{}", "scalar"],
		['{"result_data":"x","a":1}', '{"a":1}', "scalar"],
		['{"result_data":[1],"result_data":7}', "{}", "scalar"],
	])("%s", (body, rest, result) => {
		expect(readCapture(Buffer.from(body), limits)).toEqual({ rest, result });
	});

	test.each([
		"",
		" ",
		"{",
		'{"a"',
		'{"a":',
		'{"a":1',
		'{"a":1,',
		'{"a":1,}',
		'{"result_data":[1,]}',
		'{"result_data":{"a":1,}}',
		"{}{}",
		'{"result_data":[}',
	])("%j is refused", (body) => {
		expect(() => readCapture(Buffer.from(body), limits)).toThrow(JsonTextError);
	});

	test("every truncation of a body is refused", () => {
		const body = Buffer.from(
			`{"a":[1,true],"result_data":${formatEnvelope(createBridgeDomain("ü", { x: "\\u00e9" }))}}`,
		);
		for (let end = 0; end < body.length; end++)
			expect(() => readCapture(body.subarray(0, end), limits)).toThrow(JsonTextError);
	});

	test("limits: depth, rows, bytes beside result_data, values in a row", () => {
		const deep = `{"result_data":[${"[".repeat(100_000)}${"]".repeat(100_000)}]}`;
		expect(() => readCapture(Buffer.from(deep), limits)).toThrow(expect.objectContaining({ code: "depth" }));
		expect(() => readResult(Buffer.from("[1,1,1]"), { ...limits, maxRows: 2 })).toThrow(
			expect.objectContaining({ code: "size" }),
		);
		const wide = Buffer.from(`{"a":"${"x".repeat(100)}","result_data":[]}`);
		expect(() => readCapture(wide, { ...limits, maxRestBytes: 50 })).toThrow(expect.objectContaining({ code: "size" }));
	});
});
