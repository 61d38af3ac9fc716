import { describe, expect, test } from "vitest";
import {
	captureRejection,
	createControllerObjects,
	createReply,
	getPage,
	type Handler,
	useBenches,
} from "../../../test/support/controllers.ts";
import type { ControllerObject } from "./port.ts";

const setUp = useBenches();

const all = createControllerObjects(2_500);
const listDns = (rows: readonly ControllerObject[]) => rows.map((row) => row.fvBD?.attributes.dn);
describe("objects that come and go during the reading", () => {
	/** `change` happens after page 0 was sent. */
	const changing = (before: ControllerObject[], after: ControllerObject[]): Handler => {
		let first = true;
		return (seen) => {
			const rows = first ? before : after;
			first = false;
			return getPage(rows, seen);
		};
	};

	test("repeat none: a new one shifts an old one onto the next page", async () => {
		const before = createControllerObjects(30, "fvBD", 10);
		const after = [...createControllerObjects(1), ...before];
		const { read } = await setUp(changing(before, after));
		const pages = await read({ pageSize: 10 });
		const found = listDns(pages.flatMap(({ rows }) => rows));
		expect(new Set(found).size).toBe(found.length);
		expect(new Set(found)).toEqual(new Set(listDns(after)));
		expect(pages.filter(({ late }) => late).flatMap(({ rows }) => listDns(rows))).toEqual(listDns(after.slice(0, 1)));
	});

	test("lose none: one that goes shifts another onto a page already read", async () => {
		const before = createControllerObjects(30);
		const after = before.slice(1);
		const { rows } = await setUp(changing(before, after));
		expect(new Set(listDns(await rows({ pageSize: 10 })))).toEqual(new Set(listDns(before)));
	});

	test("lose none when one comes and one goes", async () => {
		const before = createControllerObjects(30, "fvBD", 10);
		const after = [...createControllerObjects(1), ...before.slice(0, -1)];
		const { rows } = await setUp(changing(before, after));
		const found = listDns(await rows({ pageSize: 10 }));
		expect(new Set(found).size).toBe(found.length);
		expect(found).toEqual(expect.arrayContaining(listDns(after)));
	});

	test("that grow to further pages are read too", async () => {
		const { rows } = await setUp(changing(all.slice(0, 15), all.slice(0, 45)));
		expect(new Set(listDns(await rows({ pageSize: 10 })))).toEqual(new Set(listDns(all.slice(0, 45))));
	});

	test("that shrink to fewer pages end the reading", async () => {
		const { rows } = await setUp(changing(all.slice(0, 45), all.slice(0, 15)));
		expect(listDns(await rows({ pageSize: 10 }))).toEqual(listDns(all.slice(0, 15)));
	});

	test("respect the limit", async () => {
		const before = createControllerObjects(30, "fvBD", 10);
		const { rows } = await setUp(changing(before, [...createControllerObjects(1), ...before]));
		expect(await rows({ pageSize: 10, limit: 20 })).toHaveLength(20);
		const enough = await setUp(changing(before, before.slice(0, -1)));
		expect(await enough.rows({ pageSize: 10, limit: 20 })).toEqual(before.slice(0, 20));
		expect(enough.asked()).toEqual(["0/10", "1/10"]);
	});

	test("fail the read when not even two readings have found as many as there are", async () => {
		// A controller that ignores the order: every page is another random cut.
		let turn = 0;
		const { rows } = await setUp((seen) => {
			turn += 1;
			return createReply(
				all.slice((turn % 3) * 10, (turn % 3) * 10 + Number(seen.query.get("page-size"))).slice(0, 10),
				100,
			);
		});
		expect(await captureRejection(rows({ pageSize: 10 }))).toMatchObject({
			kind: expect.stringMatching(/unstable|busy/),
		});
	});

	test("cannot be told apart without a dn", async () => {
		const nameless = Array.from({ length: 25 }, (_, i) => ({ x: { attributes: { name: `n${i}` } } }));
		const steady = await setUp((seen) => getPage(nameless, seen));
		expect(await steady.rows({ pageSize: 10 })).toHaveLength(25);
		let total = 25;
		const moving = await setUp((seen) => {
			total += 1;
			return getPage([...nameless, ...nameless], seen, total);
		});
		expect(await captureRejection(moving.rows({ pageSize: 10 }))).toMatchObject({ kind: "unstable" });
	});
});

describe("objects of one dn that really repeat", () => {
	const name = (row: ControllerObject) => row.fvBD?.attributes.name;
	const twins = (at: number) =>
		[0, 1].map((copy) => ({ fvBD: { attributes: { dn: `uni/twin-${at}`, name: `twin ${at} ${copy}` } } }));

	test("are all delivered, wherever the pages are cut", async () => {
		// One pair within the first page, one across its edge, one far apart, one at the end.
		const [a, b] = twins(3);
		const some = createControllerObjects(40);
		const every = [
			...twins(1),
			...some.slice(0, 7),
			...twins(2),
			a,
			...some.slice(7, 35),
			b,
			...some.slice(35),
			...twins(4),
		].filter((row) => row !== undefined);
		const { rows } = await setUp((seen) => getPage(every, seen));
		const found = await rows({ pageSize: 10 });
		expect(found.map((row) => JSON.stringify(row)).sort()).toEqual(every.map((row) => JSON.stringify(row)).sort());
		expect(found.filter((row) => String(name(row)).startsWith("twin"))).toHaveLength(8);
	});

	test("are distinguished from objects that moved, which repeat elsewhere in the second reading", async () => {
		let asked = 0;
		const { rows } = await setUp((seen) => {
			asked += 1;
			const some = createControllerObjects(29);
			return getPage([...some, ...some.slice(asked <= 3 ? 5 : 6).slice(0, 1)], seen, 30);
		});
		expect(await captureRejection(rows({ pageSize: 10 }))).toMatchObject({ kind: "unstable" });
	});
});
