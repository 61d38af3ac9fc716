import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestClient, type TestClient } from "../testing.ts";

let client: TestClient;

beforeAll(async () => {
	client = await startTestClient();
});
afterAll(() => client.close());

const HTML = /^<html>[\s\S]*nginx/;

describe("the web server in front answers HTML", () => {
	it.each(["PUT", "PATCH", "OPTIONS"])("405 to %s", async (method) => {
		expect(await client.request(method, "/api/mo/uni.json")).toMatchObject({
			status: 405,
			text: expect.stringMatching(HTML),
		});
	});

	it("404 outside /api/", async () => {
		expect(await client.get("/visore.html")).toMatchObject({ status: 404, text: expect.stringMatching(HTML) });
	});

	it("414 to a request line that is too long", async () => {
		const list = (count: number) => Array.from({ length: count }, () => "fvBD").join(",");
		expect((await client.get(`/api/mo/uni.json?query-target=subtree&target-subtree-class=${list(1500)}`)).status).toBe(
			200,
		);
		for (const count of [1700, 5000]) {
			expect(await client.get(`/api/mo/uni.json?target-subtree-class=${list(count)}`)).toMatchObject({
				status: 414,
				text: expect.stringMatching(HTML),
			});
		}
	});

	it("413 to a body that is too long", async () => {
		expect((await client.request("POST", "/api/mo/uni.json", "x".repeat(33 * 1024 * 1024))).status).toBe(413);
	});
});

describe("the controller refuses", () => {
	it.each([
		["/api/class/faultInf.json", "400", "Request failed, unresolved class for faultInf"],
		["/api/mo/uni/tn-[.json", "400", "Request failed, the DN uni/tn-[ is invalid"],
		["/api/mo/uni//tn-a.json", "400", "Request failed, the DN uni//tn-a is invalid"],
		["/api/mo/uni/tn-.json", "104", "Invalid RN tn-"],
		["/api/mo/uni", "400", "Request failed, the format of the answer must be given as .json or .xml"],
		["/api/nothing.json", "400", "Request failed, unknown request GET nothing"],
		["/api/mo/uni%.json", "400", "Request failed, the address is not well encoded"],
	])("%s", async (path, code, text) => {
		expect(await client.get(path)).toMatchObject({ status: 400, totalCount: "1", error: { code, text } });
	});

	it("in XML where XML was asked for", async () => {
		expect((await client.get("/api/class/fvFoo.xml")).text).toBe(
			'<?xml version="1.0" encoding="UTF-8"?><imdata totalCount="1"><error code="400" text="Request failed, unresolved class for fvFoo"/></imdata>',
		);
	});
});

describe("answers", () => {
	it("in XML are the objects as elements, nested ones inside", async () => {
		const { text, headers } = await client.get(
			"/api/mo/uni/tn-Retail-01/BD-bd-001.xml?rsp-prop-include=naming-only&rsp-subtree=children&rsp-subtree-class=fvRsCtx",
		);
		expect(text).toBe(
			'<?xml version="1.0" encoding="UTF-8"?><imdata totalCount="1"><fvBD dn="uni/tn-Retail-01/BD-bd-001" name="bd-001"><fvRsCtx rn="rsctx"/></fvBD></imdata>',
		);
		expect(headers.get("content-type")).toBe("text/xml");
	});

	it("hold every value unharmed, in both formats", async () => {
		const descr = 'a "b" <c> & \\ \n é 漢 \u0001';
		client.controller.load([{ fvTenant: { attributes: { dn: "uni/tn-odd", name: "odd", descr } } }]);
		expect((await client.get("/api/mo/uni/tn-odd.json")).imdata[0]?.fvTenant?.attributes.descr).toBe(descr);
		expect((await client.get("/api/mo/uni/tn-odd.xml")).text).toContain(
			'descr="a &quot;b&quot; &lt;c&gt; &amp; \\ &#10; é 漢',
		);
	});

	it("take an address raw or percent-encoded, and leave a plus sign alone", async () => {
		const raw = await fetch(
			`${client.controller.url}/api/class/topSystem.json?order-by=topSystem.dn%7Casc&query-target-filter=lt(topSystem.currentTime,%222026-03-02T10:00:00.000+02:00%22)`,
			{
				headers: { Cookie: `APIC-cookie=${client.token}` },
			},
		);
		expect(JSON.parse(await raw.text()).totalCount).toBe("0");
		const later = await client.get(
			'/api/class/topSystem.json?query-target-filter=lt(topSystem.currentTime,"2026-03-02T10:00:01.000%2B02:00")',
		);
		expect(later.totalCount).toBe("9");
	});
});
