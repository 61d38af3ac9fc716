/** Tokens that may not launch: read only, or of a user without the right. Found before a launch. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, type Body, REQUESTS, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
let path: string;
beforeAll(async () => {
	rig = await startRig();
	path = `${API}connections/${rig.connection}/`;
});
afterAll(() => rig.close());
afterEach(() => rig.lab.clearFaults());

const useToken = async (token: string) =>
	expect((await rig.alice.api.patch(path, { oauth_token: token })).body.can_launch).toBeNull();
const testConnection = async () => (await rig.alice.api.post(`${path}test/`)).body;
const openSession = () => `Signed in to ${rig.lab.product} ${rig.lab.version} as admin.`;
const executeRequest = (request: Body) => rig.alice.api.post(`${REQUESTS}${request.id}/execute/`);

describe("the test of a connection", () => {
	it("says that a token is read only, and changes nothing at the server", async () => {
		await useToken(`${rig.lab.token}-read`);
		rig.lab.resetRequests();
		expect(await testConnection()).toMatchObject({
			success: true,
			can_launch: false,
			message: expect.stringContaining(`${openSession()} The token is read only`),
		});
		expect((await rig.alice.api.get(path)).body).toMatchObject({ can_launch: false, last_test_status: "success" });
		const changing = rig.lab.requests().filter(({ method }) => method !== "GET");
		expect(changing.map(({ target }) => target)).toEqual([`${new URL(rig.lab.apiUrl).pathname}jobs/0/cancel/`]);
		const request = await rig.request(await rig.template());
		const refused = await executeRequest(request);
		expect([refused.status, refused.body]).toEqual([
			400,
			{ automation_connection: [expect.stringMatching(/"Lab" is read only/)] },
		]);
		await useToken(rig.lab.token);
		expect(await testConnection()).toMatchObject({ can_launch: true, message: openSession() });
		expect((await executeRequest(request)).status).toBe(202);
		await rig.over(request);
	});

	it("does not guess where the server gives no answer to it", async () => {
		rig.lab.setFaults({ server_error: { match: "/jobs/0/cancel/" } });
		expect(await testConnection()).toMatchObject({ success: true, can_launch: null });
	});
});

it("refuses to execute a request whose template the server's user may not start", async () => {
	const request = await rig.request(await rig.template());
	await useToken(`${rig.lab.token}-auditor`);
	expect((await testConnection()).can_launch).toBe(true);
	const { body: found } = await rig.alice.api.get(`${path}job-templates/22/`);
	expect(found.can_start).toBe(false);
	const refused = await executeRequest(request);
	expect([refused.status, refused.body]).toEqual([
		400,
		{ automation_connection: [expect.stringMatching(/may not launch the template "Configure the fabric"/)] },
	]);
	expect((await rig.alice.api.get(`${REQUESTS}${request.id}/`)).body.status).toBe("pending");
	await useToken(rig.lab.token);
});
