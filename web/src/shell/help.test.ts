import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { helpOf } from "./help.ts";
import { SECTIONS } from "./pages.ts";

describe("the help of a page", () => {
	const paths = SECTIONS.flatMap(({ pages }) =>
		pages.flatMap((page) => [page.to, ...(page.also ?? []).map(({ to }) => to)]),
	);

	it.each(paths)("of %s is a document", (path) => {
		const name = helpOf(path).slice("/help/".length) || "index";
		expect(existsSync(new URL(`../../../docs/${name}.md`, import.meta.url)), name).toBe(true);
	});

	it("is about what is shown", () => {
		expect(helpOf("/runs/groups/0b6f")).toBe("/help/fabrics");
		expect(helpOf("/settings/connections/0b6f")).toBe("/help/controllers");
		expect(helpOf("/")).toBe("/help/");
		expect(helpOf("/nothing")).toBe("/help/");
	});
});
