import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getImdata } from "./envelope.ts";

const extractImdata = (text: string): string | null => {
	const found = getImdata(Buffer.from(text));
	return found === null ? null : Buffer.from(found).toString();
};

describe("the objects of an answer", () => {
	it.each([
		['{"totalCount":"2","imdata":[{"a":1},{"b":2}]}', '{"a":1},{"b":2}'],
		[' { "totalCount" : "0" , "imdata" : [ ] } \n', " "],
		['{"imdata":[1]}', "1"],
		['{"totalCount":"1","subscriptionId":"72057","imdata":[{"x":"]}"}]}', '{"x":"]}"}'],
		['{"imdata":[],"totalCount":"0"}', null],
		['{"other":{"imdata":[1]},"imdata":[2]}', null],
		['{"imdata":{}}', null],
		["", null],
		["[]", null],
	])("%s", (text, expected) => expect(extractImdata(text)).toBe(expected));

	it("are exactly the list, whatever it holds", () => {
		fc.assert(
			fc.property(fc.array(fc.jsonValue()), fc.nat(), fc.boolean(), (list, total, pretty) => {
				const text = JSON.stringify({ totalCount: String(total), imdata: list }, null, pretty ? 2 : 0);
				expect(JSON.parse(`[${extractImdata(text)}]`)).toEqual(JSON.parse(JSON.stringify(list)));
			}),
		);
	});
});
