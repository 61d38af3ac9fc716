/**
 * Deaths between every two statements of each transaction of a change window and its job: the next
 * attempt continues, the verdict is the one without them, and each job is launched once.
 */
import { expect, it } from "vitest";
import { type Body, EXECUTIONS, REQUESTS } from "../support/automation.ts";
import { makeStoreDie } from "../support/dying-store.ts";
import { type Answer, waitUntil } from "../support/harness.ts";
import { getRequestPath, JOB_TENANT, useWindowJobs } from "../support/window-jobs.ts";
import { PLANS, WINDOWS } from "../support/windows.ts";

const LONG_MS = 300_000;
/** Runs until no statement is left that has not failed once. */
const MAX_RUNS = 6;
const AREAS = ["/areas/windows/", "/areas/automation/jobs/"];
const SETTLE = { delay_s: 0, interval_s: 60, stable_rounds: 1, timeout_s: 3_600 };
const jobs = useWindowJobs();
let serial = 0;

const getAlice = () => jobs.alice.api;
const getKim = () => jobs.kim.api;

/**
 * Lets tasks that have failed begin again at once, as often as needed. One task dies at many
 * statements here, and the delays between its attempts grow to a minute.
 */
const RETRY_NOW = "update pgboss.job set start_after = now(), retry_count = 0 where state = 'retry'";

/** Moves the clock in small steps until the condition holds. */
const advanceUntil = <T>(what: string, condition: () => Promise<T>) =>
	waitUntil(
		what,
		async () => {
			await jobs.rig.t.pool.query(RETRY_NOW);
			await jobs.rig.t.clock.advance(2_000);
			return condition();
		},
		LONG_MS,
	);

const isAnswered = ({ status }: Answer): boolean => status < 500;

/** Sends a request again while the service dies over it, as its user would. */
async function repeatRequest(send: () => Promise<Answer>): Promise<Answer> {
	for (;;) {
		const answer = await send();
		if (isAnswered(answer)) return answer;
	}
}

async function moveWindow(id: string, move: string, state: string, body: object = {}, api = getAlice()): Promise<void> {
	const answer = await repeatRequest(() => api.post(`${WINDOWS}${id}/${move}/`, body));
	// The move was made before the death that the user saw.
	if (answer.status === 409) expect(answer.body).toMatchObject({ state });
	else expect(answer.status, answer.text).toBe(200);
}

const reachState = (id: string, state: string): Promise<Body> =>
	advanceUntil(`the change window is ${state}`, async () => {
		const window = await jobs.readWindow(id);
		return window.state === state ? window : null;
	});

const hasSettled = ({ connections }: Body): boolean =>
	connections.every(({ items }: Body) => items.length > 0 && items.every(({ settled }: Body) => settled));

/** Leaves out rounds, whose number varies, and requests that a user repeated without an answer. */
const isMove = ({ event, to_state, user }: Body, place: number, events: readonly Body[]): boolean => {
	if (["round", "rollback"].includes(event)) return false;
	const before = events[place - 1];
	return user === null || before?.user !== user || before.event !== event || before.to_state !== to_state;
};

/** The verdict and the moves of a window. */
async function summarizeWindow(id: string): Promise<object> {
	const { verdict, verdict_reasons, state } = await jobs.readWindow(id);
	const { results: events } = await jobs.read(`${WINDOWS}${id}/events/`);
	const { results: findings } = await jobs.read(`${WINDOWS}${id}/findings/`);
	return {
		state,
		verdict,
		verdict_reasons,
		moves: events.filter(isMove).map(({ event, to_state }: Body) => `${event} ${to_state}`),
		findings: findings.map((one: Body) => `${one.class} ${one.dn.replace(/\d+$/, "")}`),
	};
}

/** Takes a window with an approval through all of its states by hand. */
async function runByHand(): Promise<object> {
	serial++;
	const plan = await createPlan({ requires_approval: true });
	const dn = `${JOB_TENANT}/BD-declared-${serial}`;
	const key = `window ${serial}`;
	const body = { title: key, plan, connection_ids: [jobs.fabric], idempotency_key: key };
	const { id } = (await repeatRequest(() => getAlice().post(WINDOWS, body))).body;
	const expectations = { expectations: [{ change: "added", dn }] };
	await repeatRequest(() => getAlice().put(`${WINDOWS}${id}/expectations/`, expectations));
	await moveWindow(id, "submit", "waiting");
	await moveWindow(id, "approve", "planned", {}, getKim());
	await moveWindow(id, "start", "checking_before");
	await reachState(id, "open");
	await jobs.writeDomain(`declared-${serial}`);
	await jobs.writeDomain(`stray-${serial}`);
	await moveWindow(id, "finish", "settling");
	await advanceUntil("all items have settled", async () => hasSettled(await jobs.readWindow(id)));
	await repeatRequest(() => getAlice().post(`${WINDOWS}${id}/finish/`, { now: true }));
	await reachState(id, "judged");
	await acceptStray(id);
	await moveWindow(id, "sign", "closed", {}, getKim());
	return summarizeWindow(id);
}

/** Accepts the undeclared finding, unless a call that died has done so. */
async function acceptStray(window: string): Promise<void> {
	const readStray = async () => {
		const { results } = await jobs.read(`${WINDOWS}${window}/findings/`);
		return results.find((finding: Body) => finding.class === "undeclared");
	};
	for (let stray = await readStray(); stray?.accepted_by === null; stray = await readStray())
		await getKim().post(`${WINDOWS}${window}/findings/${stray.id}/accept/`, { reason: "Known" });
}

async function createPlan(fields: object): Promise<string> {
	const plan = { name: `Plan ${++serial}`, items: [{ query: jobs.query }], settle: SETTLE, ...fields };
	return (await repeatRequest(() => getAlice().post(PLANS, plan))).body.id;
}

/** Executes a request with a plan to the verdict of its window. */
async function runWithJob(template: Body): Promise<object> {
	const change_plan = await createPlan({ requires_approval: true, after_failure: "launch_rollback" });
	const made = await createRequest(template, change_plan);
	await repeatRequest(() => getKim().post(`${getRequestPath(made)}approve/`));
	await repeatRequest(() => getAlice().post(`${getRequestPath(made)}execute/`));
	const [execution] = (await jobs.read(`${EXECUTIONS}?automation_request=${made.id}`)).results;
	const { change_window: id } = execution;
	await advanceUntil("the job is launched", async () => (await jobs.countJobs(made)) > 0);
	await reachState(id, "settling");
	await advanceUntil("all items have settled", async () => hasSettled(await jobs.readWindow(id)));
	// The declared change has not happened: only an order to judge ends the rounds before the bound.
	await repeatRequest(() => getAlice().post(`${WINDOWS}${id}/finish/`, { now: true }));
	await reachState(id, "judged");
	const rollback = await advanceUntil("the rollback has ended", async () => {
		const { results } = await jobs.read(`${REQUESTS}?page_size=200`);
		return results.find(({ rollback_of, status }: Body) => rollback_of === made.id && status === "successful");
	});
	const { results } = await jobs.read(`${REQUESTS}?page_size=200`);
	return {
		...(await summarizeWindow(id)),
		jobs: await jobs.countJobs(made),
		executions: (await jobs.read(`${EXECUTIONS}?automation_request=${made.id}`)).count,
		rollbacks: results.filter(({ rollback_of }: Body) => rollback_of === made.id).length,
		rollbackJobs: await jobs.countJobs(rollback),
	};
}

async function createRequest(template: Body, change_plan: string): Promise<Body> {
	serial++;
	const body = {
		template: template.id,
		title: `Request ${serial}`,
		input_data: [{ name: `bd-${serial}` }],
		target_controller: jobs.fabric,
		change_plan,
	};
	const answer = await repeatRequest(() => getAlice().post(REQUESTS, body));
	expect(answer.status, answer.text).toBe(201);
	return answer.body;
}

/** Repeats a run with deaths until none is left. Each must end like the run without one. */
async function expectSameEnd(run: () => Promise<object>): Promise<void> {
	const store = makeStoreDie(jobs.rig.t.deps.store, AREAS);
	const undisturbed = await run();
	expect(store.deaths.size).toBe(0);
	store.start();
	try {
		for (let tries = 0, before = -1; tries < MAX_RUNS && before < store.deaths.size; tries++) {
			before = store.deaths.size;
			expect(await run(), [...store.deaths].slice(before).join("\n")).toEqual(undisturbed);
		}
	} finally {
		store.stop();
	}
	expect(store.deaths.size).toBeGreaterThan(50);
}

it(
	"A change window has the same verdict and moves after a death at each statement",
	() => expectSameEnd(runByHand),
	3 * LONG_MS,
);

it(
	"A job in a change window and its rollback are launched once after a death at each statement",
	async () => {
		const rollback = await jobs.rig.template();
		const template = await jobs.rig.template({
			rollback_template: rollback.id,
			expects: [{ change: "added", class_name: "fvBD", dn: `${JOB_TENANT}/BD-{name}` }],
		});
		await expectSameEnd(() => runWithJob(template));
	},
	3 * LONG_MS,
);
