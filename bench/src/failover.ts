/**
 * A member of a cluster that fails at page 40 of 118: how much longer the run takes than one whose
 * member stays. It may cost the read done so far, and one timeout.
 */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { connectionRoutes } from "@weft/contracts";
import { runCanvas, startLab } from "./lab.ts";
import { computeMedian, printFigure, startService } from "./tools.ts";

const CLASS = "fvRsPathAtt";
const PAGES = 118;
const FAILS_AT = 40;
const ROUNDS = 5;
/** Before each failure, for the time of a run that is not disturbed. */
const CALM_RUNS = 5;
/** How long the connection waits for one answer. */
const TIMEOUT_SECONDS = 10;
const canvas = { nodes: [{ id: "a", type: "classNode", data: { className: CLASS } }], edges: [] };

type Failure = "breaks the connection off" | "is silent";

const lab = await startLab("large", { LAB_CONTROLLERS: "3" });

/** A member's address that fails when its pages have been asked for so often. */
async function startMember(url: string) {
	const { hostname, port } = new URL(url);
	let pages = 0;
	let failure: Failure | null = null;
	const server = createServer((incoming, outgoing) => {
		if (incoming.url?.startsWith(`/api/class/${CLASS}.json`)) pages += 1;
		if (failure !== null && pages >= FAILS_AT) {
			if (failure === "breaks the connection off") incoming.socket.destroy();
			return;
		}
		const { method, headers, url: path } = incoming;
		const onward = request({ hostname, port, method, headers, path }, (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
		});
		onward.once("error", () => outgoing.destroy());
		incoming.pipe(onward);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		fail(how: Failure | null) {
			pages = 0;
			failure = how;
		},
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
}

/** A service of its own each time, so that nothing is known of the members. */
async function runOnce(members: readonly Awaited<ReturnType<typeof startMember>>[], failure: Failure | null) {
	for (const member of members) member.fail(null);
	const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });
	try {
		const [url = "", ...alternate_urls] = members.map((member) => member.url);
		const { username, password } = lab;
		const body = { name: "Cluster", url, alternate_urls, username, password, timeout: TIMEOUT_SECONDS };
		const { id } = await service.client.call(connectionRoutes.create, { body });
		// At once, so that each member has answered.
		await Promise.all(members.map(() => runCanvas(service.client, id, canvas)));
		const calm: Awaited<ReturnType<typeof runCanvas>>[] = [];
		for (let i = 0; i < CALM_RUNS; i += 1) calm.push(await runCanvas(service.client, id, canvas));
		const before = calm.at(-1) as (typeof calm)[number];
		const answering = before.job.stages.find(({ member_url }) => member_url)?.member_url;
		members.find((member) => member.url === answering)?.fail(failure);
		const { ms, job } = await runCanvas(service.client, id, canvas);
		if (job.total_rows !== before.job.total_rows) throw new Error("The rows differ.");
		return { ms, undisturbed: computeMedian(calm.map((one) => one.ms)) };
	} finally {
		await service.stop();
	}
}

const members = await Promise.all(lab.members.map(startMember));
try {
	for (const failure of ["breaks the connection off", "is silent"] as const) {
		const rounds: { ms: number; undisturbed: number }[] = [];
		for (let i = 0; i < ROUNDS; i += 1) rounds.push(await runOnce(members, failure));
		const undisturbed = computeMedian(rounds.map((round) => round.undisturbed));
		const more = computeMedian(rounds.map((round) => round.ms)) - undisturbed;
		const allowed = (undisturbed * FAILS_AT) / PAGES + TIMEOUT_SECONDS * 1_000;
		printFigure(`a run of ${PAGES} pages, undisturbed`, `${undisturbed.toFixed(0)} ms`);
		printFigure(`more when its member ${failure} at page ${FAILS_AT}`, `${more.toFixed(0)} ms`, {
			met: more <= allowed,
			text: `≤ ${allowed.toFixed(0)} ms, the read so far and one timeout`,
		});
		if (more > allowed) process.exitCode = 1;
	}
} finally {
	for (const member of members) member.close();
	await lab.stop();
}
