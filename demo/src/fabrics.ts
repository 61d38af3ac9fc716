/** Two simulated fabrics whose changes are remembered and repeated at the next start. */
import { type RunningController, startController } from "@weft/lab";
import type { DemoClock } from "./clock.ts";
import type { FabricChange, Memory } from "./memory.ts";

export const FABRICS = ["fab-dc1", "fab-dc2"] as const;
const SEED = 7;
/** Who writes for the automation server. */
const AUTOMATION_USER = { name: "automation", password: "weft-lab-automation" };

export interface Fabrics {
	readonly controllers: readonly RunningController[];
	/** Lets people work on a fabric for some hours; `rate` is the part of its objects that change. */
	drift(fabric: number, steps: number, rate: number): Promise<void>;
	/** Writes an object as the automation server's user. */
	write(fabric: number, dn: string, body: object): Promise<void>;
	close(): Promise<void>;
}

export async function startFabrics(clock: DemoClock, memory: Memory): Promise<Fabrics> {
	/** While changes are repeated, the moment at which each was made. */
	let repeated: number | null = null;
	const now = () => repeated ?? clock.now();
	const controllers = await Promise.all(
		FABRICS.map((_, at) =>
			startController({ size: "small", seed: SEED, fabric: at + 1, now, users: [AUTOMATION_USER] }),
		),
	);

	async function applyChange(change: FabricChange): Promise<void> {
		const controller = controllers[change.fabric];
		if (controller === undefined) throw new Error(`demo.json names the fabric ${change.fabric}, which there is not.`);
		if (change.kind === "drift") controller.advance({ steps: change.steps, change_rate: change.rate });
		else await postObject(controller, change.dn, change.body);
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
		write: (fabric, dn, body) => commitChange({ kind: "write", at: clock.now(), fabric, dn, body }),
		async close() {
			await Promise.all(controllers.map((controller) => controller.close()));
		},
	};
}

async function postObject({ url }: RunningController, dn: string, body: object): Promise<void> {
	const { name, password: pwd } = AUTOMATION_USER;
	const send = (path: string, content: object, cookie: string) =>
		fetch(`${url}/api/${encodeURI(path)}.json`, {
			method: "POST",
			headers: { cookie },
			body: JSON.stringify(content),
		});
	const login = await send("aaaLogin", { aaaUser: { attributes: { name, pwd } } }, "");
	const answer = await send(`mo/${dn}`, body, login.headers.get("set-cookie")?.split(";")[0] ?? "");
	if (!answer.ok) throw new Error(`The simulated fabric refused ${dn}: ${answer.status} ${await answer.text()}`);
}
