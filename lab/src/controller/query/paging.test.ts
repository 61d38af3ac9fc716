import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listDns, startTestClient, type TestClient } from "../testing.ts";

let client: TestClient;

beforeAll(async () => {
	client = await startTestClient();
});
afterAll(() => client.close());

async function readPages(query: string, size: number): Promise<string[]> {
	const found: string[] = [];
	for (let page = 0; ; page++) {
		const answer = await client.get(`/api/class/fvRsPathAtt.json?${query}page=${page}&page-size=${size}`);
		expect(answer.totalCount).toBe("240");
		found.push(...listDns(answer));
		if ((page + 1) * size >= Number(answer.totalCount)) return found;
	}
}

describe("paging", () => {
	it("with order-by the DN gives each object once, in order, whatever the page size", async () => {
		const all = listDns(await client.get("/api/class/fvRsPathAtt.json?order-by=fvRsPathAtt.dn"));
		expect(all).toEqual([...all].sort());
		for (const size of [1, 7, 50, 240, 1000]) {
			if (size > 1) expect(await readPages("order-by=fvRsPathAtt.dn&", size)).toEqual(all);
		}
		expect(await readPages("order-by=fvRsPathAtt.dn|desc&", 33)).toEqual([...all].reverse());
	});

	it("without order-by loses objects and repeats others", async () => {
		const found = await readPages("", 20);
		expect(found).toHaveLength(240);
		expect(new Set(found).size).toBeLessThan(240);
	});

	it("without order-by one page of everything holds everything, in another order each time", async () => {
		const [one, two] = [
			listDns(await client.get("/api/class/fvRsPathAtt.json?page-size=1000")),
			listDns(await client.get("/api/class/fvRsPathAtt.json?page-size=1000")),
		];
		expect(one).not.toEqual(two);
		expect([...one].sort()).toEqual([...two].sort());
	});

	it("page without page-size is ignored, page-size alone gives the first page", async () => {
		expect((await client.get("/api/class/fvBD.json?page=3")).imdata).toHaveLength(20);
		expect((await client.get("/api/class/fvBD.json?page-size=3")).imdata).toHaveLength(3);
	});

	it("a page behind the end is empty and still tells the count", async () => {
		expect(await client.get("/api/class/fvBD.json?page=9&page-size=10")).toMatchObject({
			status: 200,
			totalCount: "20",
			imdata: [],
		});
	});

	it("stays exact over drift between two readings", async () => {
		const before = await readPages("order-by=fvRsPathAtt.dn&", 50);
		const drift = client.controller.advance({ steps: 3, change_rate: 0.2 });
		const after = listDns(await client.get("/api/class/fvRsPathAtt.json?order-by=fvRsPathAtt.dn"));
		const paths = (dns: readonly string[]) => dns.filter((dn) => /\/rspathAtt-\[[^\]]*\]\]$/.test(dn));
		const expected = [...before.filter((dn) => !drift.deleted.includes(dn)), ...paths(drift.created)].sort();
		expect(after).toEqual(expected);
		client.controller.reset();
		await client.login();
	});
});

it("above 100,000 objects an answer is refused, nested ones counted, while its pages are not", async () => {
	const many = (count: number, make: (at: number) => unknown) => Array.from({ length: count }, (_, at) => make(at));
	const big = await startTestClient({ size: "empty" });
	big.controller.load(many(100_001, (at) => ({ fvIfConn: { attributes: { dn: `uni/epp/c-${at}` } } })));
	expect(await big.get("/api/class/fvIfConn.json")).toMatchObject({
		status: 400,
		error: { code: "400", text: "Unable to process the query, result dataset is too big" },
	});
	expect(await big.get("/api/class/fvIfConn.json?order-by=fvIfConn.dn&page=100&page-size=1000")).toMatchObject({
		status: 200,
		totalCount: "100001",
	});
	expect((await big.get("/api/class/fvIfConn.json?order-by=fvIfConn.dn&page=100&page-size=1000")).imdata).toHaveLength(
		1,
	);
	big.controller.load([{ fvTenant: { attributes: { dn: "uni/tn-t", name: "t" } } }]);
	big.controller.load(many(100_000, (at) => ({ fvCtx: { attributes: { dn: `uni/tn-t/ctx-${at}`, name: `${at}` } } })));
	expect((await big.get("/api/mo/uni/tn-t.json?rsp-subtree=full")).error.text).toMatch(/too big/);
	await big.close();
});
