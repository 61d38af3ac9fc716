/** `npm run admin -- COMMAND`: makes and mends users and looks after what is stored, beside a running service or without one. */
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { newKey } from "./adapters/secrets/key-file.ts";
import { backup, restore } from "./admin-backup.ts";
import { examine, printed } from "./admin-doctor.ts";
import { type Config, readConfig } from "./config.ts";
import { createAudit, verifyAudit } from "./features/audit/index.ts";
import { createUserCommands } from "./features/auth/index.ts";
import { verifySnapshots } from "./features/time-machine/index.ts";
import { openForCommand } from "./open.ts";
import { createEvents } from "./platform/events.ts";
import { countOlder, resealAll } from "./rotate-key.ts";

const USAGE = `Usage: npm run admin -- COMMAND

  create-user NAME [--email ADDRESS] [--superuser]   make a user
  reset-password NAME                                set a new password and end all sessions
  unlock NAME                                        let a locked or deactivated user in again
  audit-verify [--head CODE]...                      hold the audit log against its chain, and that
                                                     against codes that were noted at the end of a day
  rotate-key [--forget]                              seal every stored secret under a new key; with
                                                     --forget accept the earlier ones no longer
  backup FILE                                        write the whole store to a file; the service may run
  restore FILE                                       fill a new data folder or an empty database from it
  verify-snapshots                                   prove that every snapshot is what was captured
  doctor                                             look at everything that the installation stands on

The password is read from WEFT_PASSWORD; where that is unset a random one is made and printed.
`;

const OPTIONS = {
	email: { type: "string" },
	superuser: { type: "boolean", default: false },
	head: { type: "string", multiple: true, default: [] as string[] },
	forget: { type: "boolean", default: false },
	help: { type: "boolean", default: false },
} as const;

/** Problems that are listed one by one. */
const SHOWN = 200;

type Options = ReturnType<typeof read>["values"];
type Opened = Awaited<ReturnType<typeof openForCommand>>;

const read = () => parseArgs({ allowPositionals: true, options: OPTIONS });

/** How many words follow, and the work: on an opened store, or on the settings alone. It answers false when something is wrong that is not an error. */
type Command = { readonly words: number } & (
	| { run(opened: Opened, word: string, options: Options): Promise<boolean> }
	| { runAlone(config: Config, word: string): Promise<boolean> }
);

const COMMANDS: Readonly<Record<string, Command>> = {
	"create-user": {
		words: 1,
		async run(opened, username, { superuser, email }) {
			const { password, shown } = passwordOf();
			await usersOf(opened).createUser({ username, password, superuser, ...(email === undefined ? {} : { email }) });
			return say(`${username} was made.${shown}`);
		},
	},
	"reset-password": {
		words: 1,
		async run(opened, username) {
			const { password, shown } = passwordOf();
			await usersOf(opened).resetPassword(username, password);
			return say(`${username} has a new password and no session any more.${shown}`);
		},
	},
	unlock: {
		words: 1,
		async run(opened, username) {
			await usersOf(opened).unlock(username);
			return say(`${username} can sign in again.`);
		},
	},
	"audit-verify": {
		words: 0,
		async run(opened, _, { head }) {
			const { problems, days, blocks, entries, purged, waiting } = await verifyAudit(opened, head);
			for (const day of days) say(`${day.day}  ${String(day.entries).padStart(8)} entries  ${day.head}`);
			say(
				`${entries} entries in ${blocks} blocks are as they were sealed; ${purged} were removed when their time was over, ${waiting} wait to be sealed.`,
			);
			for (const problem of problems.slice(0, SHOWN)) process.stderr.write(`${problem}\n`);
			if (problems.length > SHOWN) process.stderr.write(`and ${problems.length - SHOWN} more\n`);
			return problems.length === 0;
		},
	},
	"rotate-key": {
		words: 0,
		async run(opened, _, { forget }) {
			const { keyFile } = opened;
			const older = await countOlder(opened);
			if (keyFile === null && older === 0) {
				return say(
					"Every secret is under the current key. Put a new key before it in WEFT_SECRET_KEY of every process, with a comma between them, start them anew, and run this again.",
				);
			}
			// Where some are still under an earlier key, a change of keys was begun and did not come to its end.
			if (keyFile !== null && older === 0 && !forget) await keyFile.write([newKey(), keyFile.keys()[0]]);
			const { resealed, unreadable } = await resealAll(opened);
			for (const what of unreadable) process.stderr.write(`No key opens ${what}.\n`);
			const left = await countOlder(opened);
			say(`${resealed} secrets were sealed under the current key, ${left} are not under it.`);
			if (left > 0) return false;
			await recordRotation(opened, resealed, forget);
			if (keyFile === null)
				return say("Earlier keys can be taken out of WEFT_SECRET_KEY. That ends the sessions they signed.");
			if (forget) await keyFile.write([keyFile.keys()[0]]);
			return say(
				forget
					? "Earlier keys are forgotten. Start the service anew: the sessions they signed have ended."
					: "The key before is still accepted, for sessions that it signed. rotate-key --forget forgets it.",
			);
		},
	},
	backup: { words: 1, runAlone: async (config, file) => say(await backup(config, file)) },
	restore: { words: 1, runAlone: async (config, file) => say(await restore(config, file)) },
	"verify-snapshots": {
		words: 0,
		async run({ store }) {
			let [count, damaged] = [0, 0];
			for await (const checked of verifySnapshots(store)) {
				count += checked.count;
				damaged += checked.damaged.length;
				for (const { id, query_name, executed_at, problem } of checked.damaged)
					say(`${id} of ${query_name || "an ad-hoc query"}, ${executed_at.toISOString()}: ${problem}`);
			}
			say(`${count - damaged} of ${count} snapshots are what was captured, ${damaged} damaged.`);
			return damaged === 0;
		},
	},
	doctor: {
		words: 0,
		async runAlone(config) {
			const findings = await examine(config);
			process.stdout.write(printed(findings));
			return findings.every(({ state }) => state !== "bad");
		},
	},
};

async function main(): Promise<void> {
	const { positionals, values } = read();
	const [name = "", ...words] = positionals;
	const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
	if (values.help || command === undefined || words.length !== command.words) {
		process.stderr.write(USAGE);
		process.exitCode = values.help ? 0 : 2;
		return;
	}
	const config = readConfig(process.env);
	const [word = ""] = words;
	if ("runAlone" in command) {
		if (!(await command.runAlone(config, word))) process.exitCode = 1;
		return;
	}
	const opened = await openForCommand(config);
	try {
		if (!(await command.run(opened, word, values))) process.exitCode = 1;
	} finally {
		await opened.close();
	}
}

/** The commands' changes are recorded like those of the service. */
function eventsOf(opened: Opened) {
	const events = createEvents({
		enqueue: () => Promise.reject(new Error("a command has nobody to leave background work to")),
	});
	createAudit({ ...opened, events });
	return events;
}

const usersOf = (opened: Opened) => createUserCommands({ ...opened, events: eventsOf(opened) });

async function recordRotation(opened: Opened, resealed: number, forgotten: boolean): Promise<void> {
	const actor = {
		userId: null,
		username: "command line",
		ip: "",
		userAgent: "",
		requestId: "",
		audit: { category: "admin_action", action: "key_rotate" },
	} as const;
	const events = eventsOf(opened);
	await opened.store.transaction((tx) =>
		events.changed(tx, actor, {
			targetType: "secret_key",
			targetId: "",
			description: "Stored secrets were sealed under another key",
			metadata: { resealed, forgotten },
		}),
	);
}

function passwordOf(): { password: string; shown: string } {
	const given = process.env.WEFT_PASSWORD;
	const password = given || randomBytes(12).toString("base64url");
	return { password, shown: given ? "" : ` The password is ${password}` };
}

function say(text: string): true {
	process.stdout.write(`${text}\n`);
	return true;
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
