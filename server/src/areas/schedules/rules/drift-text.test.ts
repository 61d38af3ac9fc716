import { describe, expect, it } from "vitest";
import { formatDrift } from "./drift-text.ts";

type Given = Parameters<typeof formatDrift>[0];
const listNames = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`);
const buildDrift = (examples: readonly object[], counts: object = {}) =>
	({ drift: { added: 0, deleted: 0, modified: 1_200, ...counts }, examples }) as unknown as Given;
const buildExample = (attributes: readonly string[]) => ({
	change: "modified",
	class_name: "fvBD",
	dn: "uni/tn-a/BD-b",
	attributes,
});

describe("the text of drift", () => {
	it("has the counts of the kinds that occurred, then three examples", () => {
		const example = { change: "added", class_name: null, dn: "uni/tn-a", attributes: [] };
		expect(formatDrift(buildDrift([example, example, example, example], { added: 4 })).split("\n")).toEqual([
			"differences from the run before: 4 added, 1,200 modified.",
			...listNames(3).map(() => "added: uni/tn-a"),
		]);
	});

	it.each([
		[5, "(a0, a1, a2, a3, a4)"],
		[6, "(a0, a1, a2, a3, a4 and 1 more)"],
		[12, "(a0, a1, a2, a3, a4 and 7 more)"],
	])("names five of %i attributes that changed, and counts the others", (count, names) => {
		const [, line] = formatDrift(buildDrift([buildExample(listNames(count))])).split("\n");
		expect(line).toBe(`modified: fvBD uni/tn-a/BD-b ${names}`);
	});
});
