/** Files are read in tasks of bounded size, of which few wait in the pool. */
import { describe, expect, it } from "vitest";
import { type QueryFilePool, readFiles } from "./work.ts";

describe("reading many files", () => {
	it("keeps two tasks in the pool and the order of the files", async () => {
		let inFlight = 0;
		let most = 0;
		const sizes: number[] = [];
		const run = async (_task: string, contents: readonly string[]) => {
			most = Math.max(most, ++inFlight);
			sizes.push(contents.length);
			await new Promise((resolve) => setImmediate(resolve));
			inFlight--;
			return contents.map((content) => ({ ok: false, errors: [{ line: 1, message: content }] }));
		};
		const pool = { run } as unknown as Pick<QueryFilePool, "run">;
		const contents = Array.from({ length: 1_050 }, (_, i) => (i === 500 ? "x".repeat(600_000) : String(i)));
		const results = await readFiles(pool, contents, new AbortController().signal);
		expect(results.map((result) => (result.ok ? "" : result.errors[0]?.message))).toEqual(contents);
		expect(most).toBe(2);
		expect(sizes).toEqual([200, 200, 100, 1, 200, 200, 149]);
	});
});
