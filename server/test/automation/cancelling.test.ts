/** A wanted cancel is kept until the job is over, and a new token is used at once. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, EXECUTIONS, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
let connection: string;
beforeAll(async () => {
	rig = await startRig();
	connection = `${API}connections/${rig.connection}/`;
});
afterAll(() => rig.close());
afterEach(() => rig.lab.clearFaults());

async function startExecution(secs = 3600) {
	const template = await rig.template({ automation_job_template_id: 10, variable_mappings: { secs } });
	const request = await rig.request(template);
	const { id } = await rig.execute(request);
	await rig.settle("it runs", async () => (await rig.execution(id)).status === "running");
	return { request, id };
}
const cancelExecution = async (id: string) =>
	expect((await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`)).status).toBe(202);

/** A token of the server that was not there before. */
async function createToken(): Promise<string> {
	const basic = Buffer.from(`${rig.lab.username}:${rig.lab.password}`).toString("base64");
	const answer = await fetch(`${rig.lab.apiUrl}tokens/`, {
		method: "POST",
		headers: { authorization: `Basic ${basic}`, "content-type": "application/json" },
		body: JSON.stringify({ scope: "write" }),
	});
	return ((await answer.json()) as { token: string }).token;
}

describe("a cancel that the server did not take", () => {
	it("is sent as soon as the connection has a new token, whatever the delay after failures was", async () => {
		const { request, id } = await startExecution();
		await rig.lab.control("revoke_tokens");
		await cancelExecution(id);
		await rig.settle("the refusal is shown", async () => (await rig.execution(id)).cancel_error);
		await rig.settle(
			"the server is asked at the longest intervals",
			async () => {
				const { rows } = await rig.t.pool.query("select failures from automation_polls");
				return rows[0].failures > 6;
			},
			10_000,
		);
		rig.lab.resetRequests();
		expect((await rig.alice.api.patch(connection, { oauth_token: await createToken() })).status).toBe(200);
		const changedAt = rig.t.clock.now();
		await rig.settle("the cancel is sent", () => rig.lab.requests().some(({ status }) => status === 202));
		expect(rig.t.clock.now() - changedAt).toBeLessThan(5_000);
		expect((await rig.over(request)).status).toBe("cancelled");
		expect(await rig.execution(id)).toMatchObject({ status: "cancelled", cancel_error: null, explanation: "" });
	});

	it("is sent again while the job runs, and its error goes when it was taken", async () => {
		const { request, id } = await startExecution();
		rig.lab.setFaults({ answer: { match: "/cancel/", status: 403, body: { detail: "Not yet." } } });
		await cancelExecution(id);
		await rig.settle("the refusal is shown", async () => (await rig.execution(id)).cancel_error?.includes("Not yet."));
		rig.lab.resetRequests();
		for (let look = 0; look < 20; look++) await rig.t.clock.advance(1_000);
		const sent = () => rig.lab.requests().filter(({ target }) => target.includes("/cancel/")).length;
		await rig.settle("it was sent again", () => sent() > 0);
		expect(sent()).toBeLessThan(8);
		rig.lab.clearFaults();
		expect((await rig.over(request)).status).toBe("cancelled");
		expect((await rig.execution(id)).cancel_error).toBeNull();
	});

	it("stays said where the job ended before it could be cancelled", async () => {
		const { request, id } = await startExecution(2);
		rig.lab.setFaults({ answer: { match: "/cancel/", status: 403, body: { detail: "Not yours." } } });
		await cancelExecution(id);
		await rig.settle("the refusal is shown", async () => (await rig.execution(id)).cancel_error);
		expect((await rig.over(request)).status).toBe("successful");
		expect((await rig.execution(id)).cancel_error).toContain("Not yours.");
	});
});

it("a new token is used at once for jobs that are followed", async () => {
	const { request, id } = await startExecution(20);
	await rig.lab.control("revoke_tokens");
	await rig.settle(
		"the trouble is shown",
		async () => /does not accept the token/.test((await rig.execution(id)).explanation),
		5_000,
	);
	for (let look = 0; look < 10; look++) await rig.t.clock.advance(30_000);
	await rig.lab.control("advance", { seconds: 60 });
	await rig.alice.api.patch(connection, { oauth_token: await createToken() });
	const changedAt = rig.t.clock.now();
	expect((await rig.over(request)).status).toBe("successful");
	expect(rig.t.clock.now() - changedAt).toBeLessThan(5_000);
});
