/** `weft calendar`. */
import { readFile } from "node:fs/promises";
import { Option } from "@commander-js/extra-typings";
import type { CalendarEntry, CalendarImportResult, CalendarKind, CalendarOccurrence } from "@weft/contracts";
import { CALENDAR_KINDS, calendarEntryRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError } from "../../errors.ts";
import { addExamples, appendValue, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { type Collection, resolveNameOrId } from "../../resolve.ts";
import { requireTime } from "../../times.ts";
import { findConnectionId } from "../fabrics/connection.ts";
import { findConnectionIds } from "../runs/connection-options.ts";

type NamedEntry = CalendarEntry & { readonly name: string };

const ENTRIES: View<CalendarEntry> = {
	name: "calendar entries",
	columns: [
		{ title: "title", value: ({ title }) => title },
		{ title: "kind", value: ({ kind }) => kind },
		{ title: "on_until", value: ({ current }) => current?.ends_at ?? null },
		{ title: "next", value: ({ next }) => next?.starts_at ?? null },
		{ title: "rrule", value: ({ rrule }) => rrule },
		{ title: "id", value: ({ id }) => id },
	],
};

const OCCURRENCES: View<CalendarOccurrence> = {
	name: "occurrences",
	columns: [
		{ title: "starts_at", value: ({ starts_at }) => starts_at },
		{ title: "ends_at", value: ({ ends_at }) => ends_at },
		{ title: "kind", value: ({ kind }) => kind },
		{ title: "title", value: ({ title }) => title },
	],
};

const IMPORTS: View<CalendarImportResult> = {
	name: "import",
	columns: [
		{ title: "created", value: ({ created }) => created },
		{ title: "updated", value: ({ updated }) => updated },
		{ title: "unchanged", value: ({ unchanged }) => unchanged },
		{ title: "past", value: ({ past }) => past },
		{ title: "skipped", value: ({ skipped }) => skipped.length },
	],
};

interface ScopeOptions {
	readonly connection: readonly string[];
	readonly all?: true | undefined;
}
interface AddOptions extends ScopeOptions {
	readonly kind: CalendarKind;
	readonly from: string;
	readonly to: string;
	readonly rrule?: string | undefined;
	readonly timeZone: string;
	readonly reason: string;
	readonly ticket?: string | undefined;
}

const getEntries = (client: WeftClient): Collection<NamedEntry> => ({
	kind: "calendar entry",
	async *list(search) {
		const query = search === undefined ? {} : { search };
		for await (const entry of client.each(calendarEntryRoutes.list, { query })) yield { ...entry, name: entry.title };
	},
	async byId(id) {
		const entry = await client.call(calendarEntryRoutes.detail, { params: { id } });
		return { ...entry, name: entry.title };
	},
});

const NEEDED_KIND = new Option("--kind <kind>", "effect of the entries").choices(CALENDAR_KINDS).makeOptionMandatory();

export const registerCalendar: Register = (program, run) => {
	const noun = getNoun(program, "calendar", "Freezes, which refuse changes, and maintenance, which holds alerts.");
	addExamples(noun, "weft calendar list");
	const list = noun
		.command("list")
		.description("List the entries that you can see.")
		.addOption(new Option("--kind <kind>", "only entries of the kind").choices(CALENDAR_KINDS))
		.option("--connection <name>", "only entries for the connection")
		.action(run(showEntries));
	addExamples(list, "weft calendar list", "weft calendar list --kind freeze --connection fab-1");
	const occurrences = noun
		.command("occurrences")
		.description("List occurrences of the next 30 days, or until a time.")
		.option("--to <time>", "end of the list, exclusive")
		.option("--connection <name>", "only entries for the connection")
		.action(run(showOccurrences));
	addExamples(occurrences, 'weft calendar occurrences --to "in 2 weeks"');
	const add = noun
		.command("add")
		.description("Add a freeze or a maintenance.")
		.argument("<title>", "title of the entry")
		.addOption(NEEDED_KIND)
		.requiredOption("--from <time>", "start of the first occurrence")
		.requiredOption("--to <time>", "end of the first occurrence")
		.option("--connection <name>", "connection of the entry; may be given several times", appendValue, [])
		.option("--all", "for all connections (administrators)")
		.option("--rrule <rule>", "recurrence rule, such as FREQ=WEEKLY;BYDAY=SA")
		.option("--time-zone <zone>", "zone whose clock the rule follows", "UTC")
		.option("--reason <text>", "reason of the entry", "")
		.option("--ticket <number>", "number of a ticket")
		.action(run(addEntry));
	addExamples(
		add,
		'weft calendar add "Upgrade" --kind maintenance --connection fab-1 --from 2026-03-14T22:00+01:00 --to 2026-03-15T04:00+01:00',
	);
	const end = noun
		.command("end")
		.description("End the current occurrence of an entry now.")
		.argument("<entry>", "title or id")
		.action(run(endEntry));
	addExamples(end, 'weft calendar end "Upgrade"');
	const remove = noun
		.command("delete")
		.description("Delete an entry.")
		.argument("<entry>", "title or id")
		.action(run(deleteEntry));
	addExamples(remove, 'weft calendar delete "Upgrade"');
	const load = noun
		.command("import")
		.description("Import an .ics file, or an address that is then read every hour.")
		.argument("<source>", "file or address")
		.addOption(NEEDED_KIND)
		.option("--connection <name>", "connection of the entries; may be given several times", appendValue, [])
		.option("--all", "for all connections (administrators)")
		.option("--time-zone <zone>", "zone of whole days and of times without one", "UTC")
		.action(run(importCalendar));
	addExamples(load, "weft calendar import holidays.ics --kind freeze --all --time-zone Europe/Berlin");
};

/**
 * Returns the ids of the connections that the options name; empty for all.
 * @throws CliError if they name none
 */
async function resolveScope(
	context: Context,
	client: WeftClient,
	{ connection, all }: ScopeOptions,
): Promise<string[]> {
	if ((connection.length === 0) !== (all === true)) throw buildInputError("Give --connection NAME, or --all.");
	return findConnectionIds(context, client, { connection, group: [] });
}

async function showEntries(
	context: Context,
	{ kind, connection }: { readonly kind?: CalendarKind | undefined; readonly connection?: string | undefined },
): Promise<void> {
	const client = await context.client();
	const id = await findConnectionId(client, connection);
	const query = { ...(kind && { kind }), ...(id === undefined ? {} : { connection: id }) };
	await context.output.list(client.each(calendarEntryRoutes.list, { query }), ENTRIES);
}

async function showOccurrences(
	context: Context,
	{ to, connection }: { readonly to?: string | undefined; readonly connection?: string | undefined },
): Promise<void> {
	const client = await context.client();
	const id = await findConnectionId(client, connection);
	const until = to === undefined ? undefined : await requireTime("--to", to, context.clock.now());
	const query = { ...(until === undefined ? {} : { to: until }), ...(id === undefined ? {} : { connection: id }) };
	await context.output.list(client.each(calendarEntryRoutes.occurrences, { query }), OCCURRENCES);
}

async function addEntry(context: Context, title: string, options: AddOptions): Promise<void> {
	const { kind, rrule, timeZone, reason, ticket } = options;
	const client = await context.client();
	const body = {
		kind,
		title,
		reason,
		controller_connection_ids: await resolveScope(context, client, options),
		starts_at: await requireTime("--from", options.from, context.clock.now()),
		ends_at: await requireTime("--to", options.to, context.clock.now()),
		time_zone: timeZone,
		...(rrule === undefined ? {} : { rrule }),
		...(ticket === undefined ? {} : { ticket: { number: ticket } }),
	};
	await context.output.one(await client.call(calendarEntryRoutes.create, { body }), ENTRIES);
}

async function endEntry(context: Context, name: string): Promise<void> {
	const client = await context.client();
	const { id, title, current, rrule, exdates } = await resolveNameOrId(getEntries(client), name);
	if (current === null) throw buildInputError(`"${title}" is not on now.`);
	const body =
		rrule === null
			? { ends_at: new Date(context.clock.now()).toISOString() }
			: { exdates: [...exdates, current.starts_at] };
	await context.output.one(await client.call(calendarEntryRoutes.update, { params: { id }, body }), ENTRIES);
}

async function deleteEntry(context: Context, name: string): Promise<void> {
	const client = await context.client();
	const entry = await resolveNameOrId(getEntries(client), name);
	await client.call(calendarEntryRoutes.remove, { params: { id: entry.id } });
	context.note(`Deleted the ${entry.kind} "${entry.title}".`);
}

async function importCalendar(
	context: Context,
	source: string,
	options: ScopeOptions & { readonly kind: CalendarKind; readonly timeZone: string },
): Promise<void> {
	const client = await context.client();
	const isAddress = /^(https?|webcal):/i.test(source);
	const read = () =>
		readFile(source, "utf8").catch((error: NodeJS.ErrnoException) => {
			throw buildInputError(`${source} cannot be read: ${error.code ?? error.message}.`);
		});
	const body = {
		kind: options.kind,
		controller_connection_ids: await resolveScope(context, client, options),
		time_zone: options.timeZone,
		...(isAddress ? { url: source } : { content: await read() }),
	};
	const result = await client.call(calendarEntryRoutes.import, { body });
	for (const { title, uid, reason } of result.skipped) context.note(`Left out "${title || uid}": ${reason}`);
	await context.output.one(result, IMPORTS);
}
