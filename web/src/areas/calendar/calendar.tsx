/** Freezes and maintenance of fabrics: as a list, and by month. */
import { getRouteApi } from "@tanstack/react-router";
import type { CalendarEntry } from "@weft/contracts";
import { CALENDAR_KINDS, calendarEntryRoutes } from "@weft/contracts/browser";
import { CalendarOff, CircleStop, Ellipsis, FileDown, Pencil, Plus, Rss, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { callRoute, invalidateAreas, useAnswer } from "../../platform/call.ts";
import { formatPerson } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { useConnectionGroups, useConnections } from "../../platform/target.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Menu } from "../../ui/menu.tsx";
import { MonthTabs } from "../../ui/month-tabs.tsx";
import { Empty, PageHead } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { type Column, ShortName, Table } from "../../ui/table.tsx";
import { showToast } from "../../ui/toast.tsx";
import { EntryForm } from "./entry-form.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { Month } from "./month.tsx";
import { describeRule } from "./repetition.ts";
import { SubscribeDialog } from "./subscribe-dialog.tsx";
import { describeScope, KIND_NAMES, KIND_TONES } from "./words.ts";

const route = getRouteApi("/app/calendar");
const SIZE = 50;

type Question = { readonly verb: "delete" | "end"; readonly entry: CalendarEntry };

export function CalendarPage() {
	const times = useTimes();
	const [search, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const { view, month = times.getDay(Date.now()).slice(0, 7), edit } = search;
	const may = useMay();
	const canAdd = may("add_calendarentry");
	const [asked, setAsked] = useState<Question | null>(null);
	const edited = useAnswer(
		calendarEntryRoutes.detail,
		{ params: { id: edit ?? "" } },
		{ enabled: edit !== undefined && edit !== "new" },
	);
	const open = (id: string | undefined) => set({ edit: id });
	useCommands(
		canAdd
			? [{ id: "calendar.new", label: "New calendar entry", group: "Calendar", keys: "c", run: () => open("new") }]
			: [],
	);
	const [dialog, setDialog] = useState<"import" | "subscribe" | null>(null);
	const add = canAdd && (
		<Button variant="primary" icon={Plus} onClick={() => open("new")}>
			New entry
		</Button>
	);
	const verbs = (
		<>
			<Button icon={Rss} onClick={() => setDialog("subscribe")}>
				Subscribe
			</Button>
			{canAdd && (
				<Button icon={FileDown} onClick={() => setDialog("import")}>
					Import
				</Button>
			)}
			{add}
		</>
	);
	const tabs = <MonthTabs label="Views of the calendar" view={view} />;
	return (
		<>
			{view === "month" ? (
				<>
					<PageHead title="Calendar" crumbs={[{ label: "Change" }]} actions={verbs} />
					<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
						{tabs}
						<Month month={month} onMonth={(next) => set({ month: next })} onOpenEntry={open} />
					</div>
				</>
			) : (
				<EntryList search={search} add={add} verbs={verbs} tabs={tabs} onSearch={set} onOpen={open} onAsk={setAsked} />
			)}
			{(edit === "new" || edited.data !== undefined) && edit !== undefined && (
				<EntryForm
					key={edit}
					entry={edit === "new" ? null : (edited.data ?? null)}
					onAsk={(verb, entry) => setAsked({ verb, entry })}
					onClose={() => open(undefined)}
				/>
			)}
			{dialog === "import" && <ImportDialog onClose={() => setDialog(null)} />}
			{dialog === "subscribe" && <SubscribeDialog onClose={() => setDialog(null)} />}
			<Ask question={asked} onDone={() => open(undefined)} onClose={() => setAsked(null)} />
		</>
	);
}

/** Asks before it ends an occurrence or deletes an entry. */
function Ask({ question, onDone, onClose }: { question: Question | null; onDone(): void; onClose(): void }) {
	const title = question?.entry.title ?? "";
	const isEnd = question?.verb === "end";
	const isFreeze = question?.entry.kind === "freeze";
	return (
		<Confirm
			open={question !== null}
			title={isEnd ? `End ${title} now?` : `Delete ${title}?`}
			verb={isEnd ? "End it now" : "Delete the entry"}
			onConfirm={async () => {
				if (question === null) return;
				if (isEnd) await endOccurrence(question.entry);
				else await callRoute(calendarEntryRoutes.remove, { params: { id: question.entry.id } });
				showToast(isEnd ? `${title} has ended` : `${title} is deleted`);
				onDone();
				await invalidateAreas("calendar_entries", "checks", "schedules");
			}}
			onClose={onClose}
		>
			<p className="m-0">
				{isFreeze ? "Changes are possible again." : "Alerts that it held are sent within a minute."}
				{isEnd && question?.entry.rrule !== null && " Its next occurrences stay."}
			</p>
		</Confirm>
	);
}

/** Ends the occurrence that is on. A recurring entry leaves it out. */
async function endOccurrence({ id, rrule, current, exdates }: CalendarEntry): Promise<void> {
	if (current === null) return;
	const body = rrule === null ? { ends_at: new Date().toISOString() } : { exdates: [...exdates, current.starts_at] };
	await callRoute(calendarEntryRoutes.update, { params: { id }, body });
}

interface ListProps {
	readonly search: Readonly<Record<string, string | undefined>>;
	readonly add: ReactNode;
	readonly verbs: ReactNode;
	readonly tabs: ReactNode;
	onSearch(change: Record<string, string | undefined>): void;
	onOpen(id: string): void;
	onAsk(question: Question): void;
}

function EntryList({ search, add, verbs, tabs, onSearch, onOpen, onAsk }: ListProps) {
	const { q = "", kind, page = "1" } = search;
	const query = {
		page,
		page_size: String(SIZE),
		...(q === "" ? {} : { search: q }),
		...(CALENDAR_KINDS.some((one) => one === kind) ? { kind: kind as CalendarEntry["kind"] } : {}),
	};
	const answer = useAnswer(calendarEntryRoutes.list, { query }, { keepPrevious: true, every: 60_000 });
	return (
		<ListPage
			title="Calendar"
			noun="entry"
			plural="entries"
			crumbs={[{ label: "Change" }]}
			actions={
				<>
					<SearchField
						value={q}
						label="Filter entries"
						onChange={(text) => onSearch({ q: text || undefined, page: undefined })}
					/>
					<FilterSelect
						label="Kind"
						any="Any kind"
						value={kind}
						options={CALENDAR_KINDS.map((value) => ({ value, label: KIND_NAMES[value] }))}
						onChange={(value) => onSearch({ kind: value, page: undefined })}
					/>
					<CopyAs call={() => ({ route: calendarEntryRoutes.list, query })} />
					{verbs}
				</>
			}
			above={tabs}
			answer={answer}
			lines={5}
			page={Number(page)}
			pageSize={SIZE}
			empty={
				<Empty icon={CalendarOff} action={q === "" && add}>
					{q || kind
						? "No entry matches."
						: "A freeze refuses changes of fabrics. A maintenance holds their alerts until its end."}
				</Empty>
			}
			onPage={(to) => onSearch({ page: String(to) })}
		>
			{(rows) => <EntryTable rows={rows} onOpen={onOpen} onAsk={onAsk} />}
		</ListPage>
	);
}

interface TableProps extends Pick<ListProps, "onOpen" | "onAsk"> {
	readonly rows: readonly CalendarEntry[];
}

function EntryTable({ rows, onOpen, onAsk }: TableProps) {
	const times = useTimes();
	const connections = useConnections().data?.results ?? [];
	const groups = useConnectionGroups(rows.some((row) => row.connection_group_ids.length > 0)).data?.results ?? [];
	const names = new Map([...connections, ...groups].map(({ id, name }) => [id, name]));
	const columns: Column<CalendarEntry>[] = [
		{
			key: "title",
			head: "Title",
			className: "w-2/6 min-w-40 max-w-0!",
			cell: ({ id, title, kind, source, reason }) => (
				<span
					className="flex min-w-0 items-center gap-x-2 max-sm:flex-col max-sm:items-start max-sm:gap-y-0.5 max-sm:py-1"
					title={reason}
				>
					<button
						type="button"
						className="max-w-full truncate rounded-cell font-medium hover:underline"
						onClick={() => onOpen(id)}
					>
						{title}
					</button>
					<Pill tone={KIND_TONES[kind]}>{KIND_NAMES[kind]}</Pill>
					{source === "ics" && <Pill>Imported</Pill>}
				</span>
			),
		},
		{
			key: "state",
			head: "Now",
			cell: ({ current, is_active }) =>
				current !== null ? (
					<Pill tone="warn">{`On until ${times.dateTime(current.ends_at)}`}</Pill>
				) : is_active ? null : (
					<Pill>Switched off</Pill>
				),
		},
		{
			key: "next",
			head: "Next",
			cell: ({ next }) =>
				next === null ? (
					<span className="text-muted">-</span>
				) : (
					<span className="num flex flex-col whitespace-nowrap py-0.5">
						{times.dateTime(next.starts_at)}
						<span className="text-muted text-xs">to {times.dateTime(next.ends_at)}</span>
					</span>
				),
		},
		{
			key: "repeats",
			head: "Repeats",
			className: "w-1/6 min-w-28 max-w-0! max-sm:hidden",
			cell: ({ rrule }) => (
				<span className="block truncate" title={rrule ?? undefined}>
					{describeRule(rrule)}
				</span>
			),
		},
		{
			key: "scope",
			head: "Fabrics",
			className: "w-2/6 min-w-28 max-w-0!",
			cell: (entry) => {
				const text = describeScope(entry, (id) => names.get(id) ?? id);
				return (
					<span className="block truncate" title={text}>
						{text}
					</span>
				);
			},
		},
		{
			key: "owner",
			head: "Owner",
			className: "max-sm:hidden",
			cell: ({ created_by }) => (created_by === null ? "" : <ShortName name={formatPerson(created_by)} />),
		},
		{
			key: "verbs",
			sticky: true,
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: (entry) =>
				entry.can_edit || entry.can_delete ? (
					<Menu
						trigger={<IconButton variant="ghost" label={`More for ${entry.title}`} icon={Ellipsis} />}
						groups={[
							entry.can_edit
								? [
										{ label: "Edit", icon: Pencil, run: () => onOpen(entry.id) },
										...(entry.current === null
											? []
											: [{ label: "End now", icon: CircleStop, run: () => onAsk({ verb: "end", entry }) }]),
									]
								: [],
							entry.can_delete
								? [{ label: "Delete", icon: Trash2, danger: true, run: () => onAsk({ verb: "delete", entry }) }]
								: [],
						]}
					/>
				) : null,
		},
	];
	return <Table label="Calendar entries" columns={columns} rows={rows} getKey={({ id }) => id} />;
}
