import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startTestClient, type TestClient } from "./testing.ts";

interface Frame {
	readonly subscriptionId: readonly string[];
	readonly imdata: readonly Record<string, { readonly attributes: Readonly<Record<string, string>> }>[];
}

const BD = "uni/tn-Retail-01/BD-bd-001";
let now = Date.UTC(2026, 0, 1);
let client: TestClient;
let sockets: WebSocket[] = [];

beforeAll(async () => {
	client = await startTestClient({ now: () => now });
});
afterAll(() => client.close());
beforeEach(async () => {
	client.controller.reset();
	await client.login();
});
afterEach(() => {
	for (const socket of sockets) socket.terminate();
	sockets = [];
});

/** Opens the session's socket; `next` waits for the next frame. */
async function openSocket(token = client.token) {
	const socket = new WebSocket(`${client.controller.url.replace("http", "ws")}/socket${token}`);
	sockets.push(socket);
	const frames: Frame[] = [];
	const waiting: ((frame: Frame) => void)[] = [];
	socket.on("message", (data) => {
		const frame: Frame = JSON.parse(String(data));
		const taker = waiting.shift();
		if (taker === undefined) frames.push(frame);
		else taker(frame);
	});
	await new Promise((resolve, reject) => {
		socket.once("open", resolve);
		socket.once("error", reject);
	});
	return {
		frames,
		/** Resolves when the frames that were sent until now have come. */
		async settle() {
			socket.ping();
			await once(socket, "pong");
		},
		next: () =>
			new Promise<Frame>((resolve) => {
				const frame = frames.shift();
				if (frame === undefined) waiting.push(resolve);
				else resolve(frame);
			}),
	};
}

const subscribeQuery = async (query: string) =>
	(await client.get(`/api/${query}${query.includes("?") ? "&" : "?"}subscription=yes`)).subscriptionId ?? "";
const changeDescription = (descr: string) =>
	client.request("POST", `/api/mo/${BD}.json`, { fvBD: { attributes: { descr } } });

describe("subscriptions", () => {
	it("push what is created, modified and deleted", async () => {
		const socket = await openSocket();
		const id = await subscribeQuery("class/fvBD.json");
		expect(id).toMatch(/^72057/);
		await changeDescription("x");
		const modified = await socket.next();
		expect(modified.subscriptionId).toEqual([id]);
		expect(modified.imdata).toEqual([
			{
				fvBD: {
					attributes: { childAction: "", descr: "x", dn: BD, modTs: expect.any(String), rn: "", status: "modified" },
				},
			},
		]);
		await client.request("POST", "/api/mo/uni/tn-Retail-01.json", { fvBD: { attributes: { name: "new" } } });
		expect((await socket.next()).imdata[0]?.fvBD?.attributes).toMatchObject({
			dn: "uni/tn-Retail-01/BD-new",
			status: "created",
			arpFlood: "no",
			mac: "00:22:BD:F8:19:FF",
		});
		await client.request("DELETE", "/api/mo/uni/tn-Retail-01/BD-new.json");
		expect((await socket.next()).imdata).toEqual([
			{ fvBD: { attributes: { dn: "uni/tn-Retail-01/BD-new", status: "deleted" } } },
		]);
	});

	it("still answer the query, with the id beside it", async () => {
		await openSocket();
		const answer = await client.get("/api/class/fvBD.json?subscription=yes&page-size=1");
		expect(answer.text).toMatch(/^\{"totalCount":"20","subscriptionId":"\d+","imdata":\[\{"fvBD"/);
	});

	it("watch one object, its children, its subtree, or a filter, and name every subscription in one frame", async () => {
		const socket = await openSocket();
		const ids = [
			await subscribeQuery(`mo/${BD}.json`),
			await subscribeQuery("mo/uni/tn-Retail-01.json?query-target=children"),
			await subscribeQuery("mo/uni/tn-Retail-01.json?query-target=subtree&target-subtree-class=fvBD"),
			await subscribeQuery('class/fvBD.json?query-target-filter=eq(fvBD.name,"bd-001")'),
		];
		await subscribeQuery("mo/uni/tn-Retail-01.json");
		await subscribeQuery('class/fvBD.json?query-target-filter=eq(fvBD.name,"bd-002")');
		await subscribeQuery("class/fvCtx.json");
		await changeDescription("y");
		expect((await socket.next()).subscriptionId).toEqual(ids);
	});

	it("need the socket first, and the session's own", async () => {
		expect((await client.get("/api/class/fvBD.json?subscription=yes")).error).toEqual({
			code: "400",
			text: "unable to locate opened web socket",
		});
		await expect(openSocket("nonsense")).rejects.toThrow(/403/);
	});

	it("run out without a refresh, and live on with it", async () => {
		const socket = await openSocket();
		const [kept, lost] = [await subscribeQuery("class/fvBD.json"), await subscribeQuery("class/fvBD.json")];
		now += 40_000;
		expect((await client.get(`/api/subscriptionRefresh.json?id=${kept}`)).status).toBe(200);
		now += 40_000;
		await changeDescription("z");
		expect((await socket.next()).subscriptionId).toEqual([kept]);
		expect((await client.get(`/api/subscriptionRefresh.json?id=${lost}`)).error).toEqual({
			code: "400",
			text: "Subscription refresh timeout",
		});
	});

	it("live longer with refresh-timeout, up to ten hours", async () => {
		await openSocket();
		const id = await subscribeQuery("class/fvBD.json?refresh-timeout=500");
		now += 400_000;
		expect((await client.get(`/api/subscriptionRefresh.json?id=${id}`)).status).toBe(200);
		expect((await client.get("/api/class/fvBD.json?subscription=yes&refresh-timeout=36001")).status).toBe(400);
	});

	it("end with subscription=no", async () => {
		await openSocket();
		const id = await subscribeQuery("class/fvBD.json");
		await client.get("/api/class/fvBD.json?subscription=no");
		expect((await client.get(`/api/subscriptionRefresh.json?id=${id}`)).status).toBe(400);
	});

	it("end with the logout", async () => {
		const socket = await openSocket();
		await subscribeQuery("class/fvBD.json");
		const body = { aaaUser: { attributes: { name: client.controller.username } } };
		expect((await client.request("POST", "/api/aaaLogout.json", body)).status).toBe(200);
		await client.login();
		await changeDescription("after the logout");
		await socket.settle();
		expect(socket.frames).toEqual([]);
	});

	it("push drift of an interface, but no statistics", async () => {
		const socket = await openSocket();
		await subscribeQuery("class/statsItem.json?page-size=1");
		await subscribeQuery("class/ethpmPhysIf.json?page-size=1");
		client.controller.advance({ steps: 1, change_rate: 0.5 });
		await socket.settle();
		expect((await socket.next()).imdata[0]).toHaveProperty("ethpmPhysIf");
		expect(socket.frames.every((frame) => frame.imdata[0]?.ethpmPhysIf !== undefined)).toBe(true);
	});

	it("send no frames and no error after a request with the cookie twice", async () => {
		const socket = await openSocket();
		await subscribeQuery("class/fvBD.json");
		const twice = { Cookie: `APIC-cookie=${client.token}; APIC-cookie=${client.token}` };
		expect((await client.request("GET", "/api/mo/uni.json", undefined, twice)).totalCount).toBe("1");
		const answer = await client.get("/api/class/fvCtx.json?subscription=yes");
		expect(answer).toMatchObject({ status: 200, imdata: [], subscriptionId: expect.any(String) });
		await changeDescription("w");
		await socket.settle();
		expect(socket.frames).toEqual([]);
	});
});
