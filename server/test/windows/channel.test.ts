/** The socket of a change window: its state first, each change, and the end. */
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../support/canvases.ts";
import { waitUntil } from "../support/harness.ts";
import { findPermissionIds } from "../support/rights.ts";
import { useWindows } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, move, reach } = windows;

const openSocket = (id: string, api = windows.ada.api) => api.open(`/ws/change-window/${id}/`);
type Socket = Awaited<ReturnType<typeof openSocket>>;

/** The frames of the channel, without those that keep the connection alive. */
const listFrames = ({ frames }: Socket) =>
	frames.filter(({ type }) => type !== "ping").map(({ type, data }) => ({ type, data }));
const waitForFrame = (socket: Socket, type: string, data: object) =>
	waitUntil(`the frame ${type} ${JSON.stringify(data)}`, () =>
		listFrames(socket).some((one) =>
			expect.objectContaining({ type, data: expect.objectContaining(data) }).asymmetricMatch(one),
		),
	);

describe("the socket of a change window", () => {
	it("sends the state first, then rounds, items, the verdict and the end, and closes with 1000", async () => {
		const { id } = await window();
		const socket = await openSocket(id);
		await waitForFrame(socket, "state", { state: "planned" });
		await open(id);
		await waitForFrame(socket, "state", { state: "open" });
		await judge(id);
		await waitForFrame(socket, "verdict", { verdict: "passed", verdict_reasons: [] });
		await move(id, "sign");
		expect(await socket.closed).toMatchObject({ code: 1000 });

		const frames = listFrames(socket);
		expect(frames[0]).toEqual({ type: "state", data: { state: "planned" } });
		expect(frames.slice(-2)).toEqual([
			{ type: "state", data: { state: "closed" } },
			{ type: "end", data: { state: "closed" } },
		]);
		const item = { saved_query: windows.query, connection_id: windows.connection, status: "completed" };
		for (const [round, phase] of [
			[1, "before"],
			[2, "after"],
		] as const) {
			expect(frames).toContainEqual({ type: "round", data: { round, phase, ended: true } });
			expect(frames).toContainEqual({ type: "item", data: { round, ...item } });
		}
		const texts = frames.map((frame) => JSON.stringify(frame));
		expect(new Set(texts).size).toBe(texts.length);
	});

	it("sends an item whose run failed", async () => {
		const { id } = await window();
		const socket = await openSocket(id);
		windows.lab.setFaults({ error: { match: "fvBD" } });
		await move(id, "start");
		await reach(id, "blocked");
		await waitForFrame(socket, "item", { round: 1, connection_id: windows.connection, status: "failed" });
		await waitForFrame(socket, "state", { state: "blocked" });
		socket.close();
	});

	it("sends another verdict after a recheck", async () => {
		const { id } = await window();
		await open(id);
		await judge(id);
		const socket = await openSocket(id);
		await waitForFrame(socket, "verdict", { verdict: "passed" });
		await windows.writeDomain("rechecked");
		await windows.recheck(id);
		await waitForFrame(socket, "verdict", { verdict: "failed", verdict_reasons: ["undeclared:1"] });
		socket.close();
	});

	it.each(["cancelled", "expired"])("closes with 1000 once the window is %s", async (state) => {
		const ends_at = state === "expired" ? new Date(windows.t.clock.now() + 5_000).toISOString() : null;
		const { id } = await window({ ends_at });
		const socket = await openSocket(id);
		if (state === "cancelled") await move(id, "cancel");
		await reach(id, state);
		expect(await socket.closed).toMatchObject({ code: 1000 });
		expect(listFrames(socket).at(-1)).toEqual({ type: "end", data: { state } });
		// The window has no round: its state and its end are all that a later socket gets.
		const late = await openSocket(id);
		expect(await late.closed).toMatchObject({ code: 1000 });
		expect(listFrames(late)).toEqual([
			{ type: "state", data: { state } },
			{ type: "end", data: { state } },
		]);
	});

	it("refuses users without the permission, and those who do not see the window", async () => {
		const { id } = await window();
		const permission_ids = await findPermissionIds(windows.t, "view_savedquery");
		const made = await windows.ada.api.post("/api/auth/tokens/", { name: "queries", permission_ids });
		expect(await (await openSocket(id, windows.t.as(made.body.token))).closed).toMatchObject({ code: 4003 });
		expect(await (await openSocket(UNKNOWN)).closed).toMatchObject({ code: 4004 });
		const connection = `/api/controller/connections/${windows.connection}/`;
		await windows.ada.api.patch(connection, { is_public: false });
		const bob = await windows.t.user("bob-of-sockets", ["Operator"]);
		const refused = await (await openSocket(id, bob.api)).closed;
		await windows.ada.api.patch(connection, { is_public: true });
		expect(refused).toMatchObject({ code: 4004 });
	});

	it("sends no items of a connection that the viewer does not see", async () => {
		const hidden = await windows.addFabric(windows.lab, "Hidden fabric");
		await windows.ada.api.patch(`/api/controller/connections/${hidden}/`, { is_public: false });
		const { id } = await window({ connection_ids: [windows.connection, hidden] });
		await open(id);
		const bob = await windows.t.user("bob-of-items", ["Operator"]);
		const [seen, own] = [await openSocket(id, bob.api), await openSocket(id)];
		const listConnections = (socket: Socket) =>
			listFrames(socket).flatMap(({ type, data }) => (type === "item" ? [data.connection_id] : []));
		await waitUntil("the requester has both items", () => listConnections(own).length === 2);
		await waitForFrame(seen, "item", { connection_id: windows.connection });
		await move(id, "cancel");
		await seen.closed;
		expect(listConnections(seen)).toEqual([windows.connection]);
	});
});
