import { describe, expect, test } from "vitest";
import {
	awaitCondition,
	captureRejection,
	createControllerObjects,
	createErrorReply,
	createHtmlReply,
	createReply,
	getPage,
	type Handler,
	type Reply,
	tokenTimeout,
	useBenches,
} from "../../../test/support/controllers.ts";
import type { ControllerQuery } from "./port.ts";

const setUp = useBenches();

const all = createControllerObjects(2_500);
const tooBig = createErrorReply(400, "400", "Unable to process the query, result dataset is too big");

describe("reading", () => {
	test("gives every object once, in order, by pages of a thousand ordered by dn", async () => {
		const { read, asked, fake } = await setUp((seen) => getPage(all, seen));
		const pages = await read();
		expect(pages.map(({ index, rows, totalCount, late }) => [index, rows.length, totalCount, late])).toEqual([
			[0, 1000, 2500, false],
			[1, 1000, 2500, false],
			[2, 500, 2500, false],
		]);
		expect(pages.flatMap(({ rows }) => rows)).toEqual(all);
		expect(asked().sort()).toEqual(["0/1000", "1/1000", "2/1000"]);
		expect(new Set(fake.to("fvBD.json").map(({ query }) => query.get("order-by")))).toEqual(new Set(["fvBD.dn"]));
	});

	test("hands the bytes of a page on where they are exactly its rows", async () => {
		const { read } = await setUp((seen) => getPage(all, seen));
		const [first, second] = await read({ limit: 1_500, pageSize: 1_000 });
		expect(JSON.parse(Buffer.from(first?.raw ?? []).toString()).imdata).toEqual(first?.rows);
		expect(second?.rows).toHaveLength(500);
		expect(second?.raw).toBeNull();
	});

	test.each<[string, Partial<ControllerQuery>, number, string[]]>([
		["one page", { limit: 10 }, 10, ["0/10"]],
		["several pages", { limit: 250, pageSize: 100 }, 250, ["0/100", "1/100", "2/100"]],
		["more than there are", { limit: 9_999 }, 2_500, ["0/1000", "1/1000", "2/1000"]],
		["exactly all", { limit: 2_500, pageSize: 500 }, 2_500, ["0/500", "1/500", "2/500", "3/500", "4/500"]],
	])("stops at a limit of %s", async (_, query, count, requests) => {
		const { rows, asked } = await setUp((seen) => getPage(all, seen));
		expect(await rows(query)).toEqual(all.slice(0, count));
		expect(asked().sort()).toEqual(requests);
	});

	test("gives one empty page when there is nothing", async () => {
		const { read } = await setUp(() => createReply([]));
		expect(await read()).toMatchObject([{ index: 0, rows: [], totalCount: 0 }]);
	});

	test.each([2_500, 2_000, 0])("goes on to a short page when no count is told, %d objects", async (count) => {
		const some = all.slice(0, count);
		const { read, asked } = await setUp((seen) => getPage(some, seen, null));
		const pages = await read();
		expect(pages.flatMap((page) => page.rows)).toEqual(some);
		expect(pages[0]?.totalCount).toBeNull();
		expect(asked()).toEqual(["0/1000", ...(count > 0 ? ["1/1000", "2/1000"] : [])]);
	});

	test("is in one piece where the classes of the results are unknown", async () => {
		const { driver, target, fake } = await setUp(() => createReply(all));
		const path = "/api/mo/uni/tn-t.json?query-target=subtree";
		expect((await driver.rows(target, { path })).rows).toEqual(all);
		expect(fake.to("tn-t.json").map(({ url }) => url)).toEqual([path]);
	});

	test("refuses sizes and limits that make no sense", async () => {
		const { rows } = await setUp(() => createReply([]));
		for (const query of [{ pageSize: 0 }, { pageSize: 1.5 }, { pageSize: 100_001 }, { limit: 0 }, { limit: 1.5 }]) {
			expect(await captureRejection(rows(query))).toMatchObject({ kind: "invalid" });
		}
	});

	test("runs ahead of a slow consumer within bounds, by pages and by bytes", async () => {
		for (const [bufferBytes, most] of [
			[1_000_000, 5],
			[1, 2],
		] as const) {
			const { pages, asked } = await setUp((seen) => getPage(all, seen), { concurrency: 2, bufferBytes });
			for await (const page of pages({ pageSize: 100 })) {
				if (page.index > 0) continue;
				await awaitCondition(() => asked().length === most);
				for (let i = 0; i < 50; i += 1) await new Promise((resolve) => setImmediate(resolve));
				expect(asked()).toHaveLength(most);
			}
			expect(asked()).toHaveLength(25);
		}
	});

	test("overlaps requests and still gives pages in order", async () => {
		let release = () => {};
		const last = new Promise<void>((resolve) => {
			release = resolve;
		});
		const { rows } = await setUp(async (seen) => {
			const page = seen.query.get("page");
			if (page === "1") await last;
			if (page === "2") release();
			return getPage(all, seen);
		});
		expect(await rows()).toEqual(all);
	});

	test("stops the rest when the consumer leaves or a page fails", async () => {
		const held: Handler = (seen) => (Number(seen.query.get("page")) > 1 ? "hang" : getPage(all, seen));
		const { pages, fake } = await setUp(held);
		for await (const page of pages({ pageSize: 100 })) if (page.index === 1) break;
		await awaitCondition(() => fake.unanswered.size === 0);
		const failing: Handler = (seen) => (seen.query.get("page") === "1" ? createErrorReply(400, "1", "no") : held(seen));
		const second = await setUp(failing);
		expect(await captureRejection(second.rows({ pageSize: 100 }))).toMatchObject({ kind: "rejected" });
		await awaitCondition(() => second.fake.unanswered.size === 0);
	});

	test("is cancelled by the signal, also between pages", async () => {
		const stop = new AbortController();
		const { pages, fake } = await setUp((seen) => getPage(all, seen));
		const reading = (async () => {
			for await (const page of pages({ pageSize: 10, signal: stop.signal })) if (page.index === 1) stop.abort();
		})();
		expect(await captureRejection(reading)).toMatchObject({ kind: "cancelled" });
		expect(fake.seen.length).toBeLessThan(50);
	});
});

describe("a page that fails", () => {
	test("for its token is the only one read again", async () => {
		const { rows, asked, fake } = await setUp((seen) =>
			seen.query.get("page") === "1" && seen.cookies[0] === "APIC-cookie=token-1" ? tokenTimeout : getPage(all, seen),
		);
		expect(await rows()).toEqual(all);
		expect(asked().sort()).toEqual(["0/1000", "1/1000", "1/1000", "2/1000"]);
		expect(fake.to("aaaLogin.json")).toHaveLength(2);
	});

	test.each<[string, Reply]>([
		["throttled", createHtmlReply(503)],
		["dropped", "drop"],
		["cut off", { text: '{"totalCount":"25' }],
		["empty on a busy controller", createReply([], 2_500)],
		["short on a busy controller", createReply(createControllerObjects(7), 2_500)],
	])("%s is read again", async (_, reply) => {
		for (const page of ["0", "1"]) {
			let failures = 2;
			const { rows, asked } = await setUp((seen) => {
				if (seen.query.get("page") !== page || failures === 0) return getPage(all, seen);
				failures -= 1;
				return reply;
			});
			expect(await rows()).toEqual(all);
			expect(asked()).toHaveLength(5);
		}
	});

	test("as busy to the end is never taken for an empty set", async () => {
		const { rows, asked } = await setUp((seen) =>
			seen.query.get("page") === "1" ? createReply([], 2_500) : getPage(all, seen),
		);
		expect(await captureRejection(rows())).toMatchObject({ kind: "busy", retryable: true });
		expect(asked().filter((page) => page === "1/1000")).toHaveLength(5);
	});

	test("without a list is a bad answer", async () => {
		const { rows } = await setUp(() => ({ json: { totalCount: "3" } }));
		expect(await captureRejection(rows())).toMatchObject({ kind: "bad_answer" });
	});
});

describe("an answer that is too big", () => {
	test.each([
		[1_000, 200, 2_500],
		[1_000, 50, 430],
		[70, 50, 130],
	])("in pages of %d is read in pages of %d", async (pageSize, works, count) => {
		const some = all.slice(0, count);
		const { rows, asked } = await setUp((seen) =>
			Number(seen.query.get("page-size")) > works ? tooBig : getPage(some, seen),
		);
		expect(await rows({ pageSize })).toEqual(some);
		expect(asked()).toContain(`${Math.ceil(count / works) - 1}/${works}`);
	});

	test.each([1_000, 300])("in the middle goes on in smaller pages from there, %d", async (pageSize) => {
		const { rows } = await setUp((seen) => {
			const size = Number(seen.query.get("page-size"));
			return size > 200 && Number(seen.query.get("page")) * size >= 900 ? tooBig : getPage(all, seen);
		});
		expect(await rows({ pageSize })).toEqual(all);
	});

	test("for the page limit is read in smaller pages too", async () => {
		const { rows } = await setUp((seen) => getPage(all, seen), { maxBodyBytes: 30_000 });
		expect(await rows()).toEqual(all);
	});

	test("in the smallest pages is an error with advice", async () => {
		const { rows, asked } = await setUp(() => tooBig);
		const error = await captureRejection(rows());
		expect(error).toMatchObject({ kind: "too_big", message: expect.stringMatching(/pages of 50 .*rsp-subtree/) });
		expect(asked()).toEqual(["0/1000", "0/200", "0/50"]);
	});
});

describe("results that the controller drops after cutting the page (required)", () => {
	const path = "/api/class/fvBD.json?rsp-subtree-include=faults,required";

	test("leave short pages, which are no busy controller", async () => {
		const { rows } = await setUp((seen) => {
			const page = Number(seen.query.get("page"));
			return createReply(page === 1 ? [] : all.slice(page * 10, page * 10 + 3), 30);
		});
		expect(await rows({ path, pageSize: 10 })).toHaveLength(6);
	});

	test("are asked for twice before none is believed", async () => {
		const { rows, asked } = await setUp(() => createReply([], 5));
		expect(await rows({ path })).toEqual([]);
		expect(asked()).toEqual(["0/1000", "0/1000"]);
	});

	test("do not count for a limit", async () => {
		const { rows } = await setUp((seen) => {
			const page = Number(seen.query.get("page"));
			return createReply(all.slice(page * 10, page * 10 + 2), 100);
		});
		expect(await rows({ path, pageSize: 10, limit: 5 })).toEqual([
			...all.slice(0, 2),
			...all.slice(10, 12),
			...all.slice(20, 21),
		]);
	});

	test("are counted by reading", async () => {
		const { driver, target } = await setUp(() => createReply(all.slice(0, 3), 30));
		expect(await driver.count(target, { path })).toBe(3);
	});
});

describe("counting", () => {
	test("takes the total of a page of one, whatever a moCount would say", async () => {
		const { driver, target, asked } = await setUp((seen) => getPage(all, seen));
		expect(await driver.count(target, { path: "/api/class/fvBD.json" })).toBe(2_500);
		expect(asked()).toEqual(["0/1"]);
	});

	test.each([
		[0, ["0/1"]],
		[2_100, ["0/1", "0/1000", "1/1000", "2/1000"]],
	])("reads when no total is told, %d objects", async (count, requests) => {
		const { driver, target, asked } = await setUp((seen) => getPage(all.slice(0, count), seen, null));
		expect(await driver.count(target, { path: "/api/class/fvBD.json" })).toBe(count);
		expect(asked()).toEqual(requests);
	});

	test("does not believe a busy controller", async () => {
		const { driver, target } = await setUp(() => createReply([], 5));
		expect(await captureRejection(driver.count(target, { path: "/api/class/fvBD.json" }))).toMatchObject({
			kind: "busy",
		});
	});
});

test("rows() collects rows and timings", async () => {
	const { driver, target } = await setUp((seen) => getPage(all, seen));
	const result = await driver.rows(target, { path: "/api/class/fvBD.json" });
	expect(result).toMatchObject({ totalCount: 2_500, timings: { requests: 4 } });
	expect(result.rows).toEqual(all);
});

test("answers are parsed by the given parser", async () => {
	let parsed = 0;
	const parseJson = async (body: Buffer) => {
		parsed += 1;
		return JSON.parse(body.toString());
	};
	const { rows } = await setUp((seen) => getPage(all, seen), { parseJson });
	await rows();
	expect(parsed).toBe(4);
});
