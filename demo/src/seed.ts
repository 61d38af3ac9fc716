/** Makes all data of a new demo, through the interface of the service. */
import { authRoutes, notificationRoutes } from "@weft/contracts";
import { type Automation, makeFinishedJob, makeTemplate, makeWaitingRequest } from "./automation.ts";
import { makeCalendar } from "./calendar.ts";
import { makeChecks } from "./checks.ts";
import type { DemoClock } from "./clock.ts";
import type { Fabrics } from "./fabrics.ts";
import { makeHistory, planNights } from "./history.ts";
import type { Memory } from "./memory.ts";
import { finishImport, startImport } from "./model.ts";
import { makePeople, type People } from "./people.ts";
import { type Known, makeQueries } from "./queries.ts";
import { makeWindows } from "./windows.ts";
import { buildApplication, damageApplication } from "./work.ts";

interface SeedParts {
	readonly people: People;
	readonly fabrics: Fabrics;
	readonly automation: Automation;
	readonly clock: DemoClock;
	readonly memory: Memory;
	say(line: string): void;
}

export async function makeData({ people, fabrics, automation, clock, memory, say }: SeedParts): Promise<Known> {
	const nights = planNights(Date.now());
	clock.moveTo(nights.beginning);
	say("  Makes a week of data …");
	const admin = await people.as("ada");
	await makePeople(admin, memory.data.logins);
	const known = await makeQueries(admin, fabrics.controllers);
	await admin.call(authRoutes.updatePreferences, {
		body: { default_controller_connection_id: known.connections[0] ?? null },
	});
	await makeTemplate(admin, automation.server);
	await makeChecks(admin, known);
	const work = new Map([
		[3, () => makeWindows({ people, fabrics, clock, known })],
		[2, () => buildApplication(fabrics)],
		[1, () => makeFinishedJob(people, known)],
		[0, () => damageApplication(fabrics)],
	]);
	await makeHistory({ people, fabrics, clock, known, nights, work });
	clock.moveToPresent();
	const importId = await startImport(await people.as("ada"));
	await makeWaitingRequest(people, known);
	await makeCalendar(await people.as("ada"), known, clock.now());
	await (await people.as("ada")).call(notificationRoutes.announce, {
		body: {
			title: "Maintenance on Sunday",
			body: "fab-dc2 is out of reach from 02:00 to 04:00.",
			severity: "warning",
		},
	});
	await finishImport(() => people.as("ada"), importId);
	memory.data.state = "ready";
	await memory.save();
	return known;
}
