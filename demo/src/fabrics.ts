/** Two simulated fabrics whose changes are remembered and repeated at the next start. */
import { type RunningController, startController } from "@weft/lab";
import type { DemoClock } from "./clock.ts";
import type { FabricChange, Memory } from "./memory.ts";

export const FABRICS = ["fab-dc1", "fab-dc2"] as const;
const SEED = 7;
/** The automation server writes as this user of the fabrics. */
export const AUTOMATION_USER = "automation";
/** An engineer of the story, who writes by hand. */
export const ENGINEER = "mara";
const USERS = [AUTOMATION_USER, ENGINEER].map((name) => ({ name, password: `weft-lab-${name}` }));

export interface Fabrics {
	readonly controllers: readonly RunningController[];
	/** Lets people work on a fabric for some hours; `rate` is the part of its objects that change. */
	drift(fabric: number, steps: number, rate: number): Promise<void>;
	/** Writes an object as a user of the fabric. */
	write(fabric: number, user: string, dn: string, body: object): Promise<void>;
	/** Puts objects into the fabric that no user writes, such as the state of a port. */
	setState(fabric: number, objects: readonly object[]): Promise<void>;
	close(): Promise<void>;
}

export async function startFabrics(clock: DemoClock, memory: Memory): Promise<Fabrics> {
	/** While changes are repeated, the moment at which each was made. */
	let repeated: number | null = null;
	const now = () => repeated ?? clock.now();
	const controllers = await Promise.all(
		FABRICS.map((_, at) => startController({ size: "small", seed: SEED, fabric: at + 1, now, users: USERS })),
	);

	async function applyChange(change: FabricChange): Promise<void> {
		const controller = controllers[change.fabric];
		if (controller === undefined) throw new Error(`demo.json names the fabric ${change.fabric}, which there is not.`);
		if (change.kind === "drift") controller.advance({ steps: change.steps, change_rate: change.rate });
		else if (change.kind === "state") controller.load(change.objects);
		else await postObject(controller, change);
	}

	/** Remembers a change before it is made: the service must not know one that is forgotten. */
	async function commitChange(change: FabricChange): Promise<void> {
		memory.data.changes.push(change);
		await memory.save();
		await applyChange(change);
	}

	for (const change of memory.data.changes) {
		repeated = change.at;
		await applyChange(change);
	}
	repeated = null;

	return {
		controllers,
		drift: (fabric, steps, rate) => commitChange({ kind: "drift", at: clock.now(), fabric, steps, rate }),
		write: (fabric, user, dn, body) => commitChange({ kind: "write", at: clock.now(), fabric, user, dn, body }),
		setState: (fabric, objects) => commitChange({ kind: "state", at: clock.now(), fabric, objects }),
		async close() {
			await Promise.all(controllers.map((controller) => controller.close()));
		},
	};
}

async function postObject(
	{ url }: RunningController,
	{ user, dn, body }: Extract<FabricChange, { kind: "write" }>,
): Promise<void> {
	const pwd = USERS.find(({ name }) => name === user)?.password;
	const send = (path: string, content: object, cookie: string) =>
		fetch(`${url}/api/${encodeURI(path)}.json`, {
			method: "POST",
			headers: { cookie },
			body: JSON.stringify(content),
		});
	const login = await send("aaaLogin", { aaaUser: { attributes: { name: user, pwd } } }, "");
	const answer = await send(`mo/${dn}`, body, login.headers.get("set-cookie")?.split(";")[0] ?? "");
	if (!answer.ok) throw new Error(`The simulated fabric refused ${dn}: ${answer.status} ${await answer.text()}`);
}
