/** Findings of a change window: those that count first, the same change on many objects as one. */
import type { ChangeWindow, WindowFinding } from "@weft/contracts";
import { changeWindowRoutes, FINDING_CLASSES, type FindingClass } from "@weft/contracts/browser";
import { ChevronDown, ChevronRight, Ellipsis } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { AreaField } from "../../ui/field.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { Drafted } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { ObjectLink } from "../../ui/object-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { Pill, State } from "../../ui/pill.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { groupFindings } from "./group-findings.ts";
import { CLASS_LOOKS } from "./words.ts";

const SIZE = 200;

export function FindingsPanel({ window }: { window: ChangeWindow }) {
	const [kind, setKind] = useState<FindingClass | undefined>();
	const [page, setPage] = useState(1);
	const input = {
		params: { id: window.id },
		query: { page: String(page), page_size: String(SIZE), ...(kind === undefined ? {} : { class: kind }) },
	};
	const answer = useAnswer(changeWindowRoutes.findings, input, { keepPrevious: true });
	return (
		<Panel
			title="Findings"
			aside={
				<FilterSelect
					label="Class"
					any="Any class"
					value={kind}
					options={FINDING_CLASSES.map((value) => ({ value, label: CLASS_LOOKS[value][0] }))}
					onChange={(value) => {
						setKind(FINDING_CLASSES.find((one) => one === value));
						setPage(1);
					}}
				/>
			}
		>
			<Loaded answer={answer} lines={4}>
				{({ results, count }) =>
					results.length === 0 ? (
						<Empty>
							{kind === undefined ? "Nothing differs between before and after." : "No finding of this class."}
						</Empty>
					) : (
						<>
							<FindingTable window={window} findings={results} />
							<Pager page={page} pageSize={SIZE} count={count} onPage={setPage} />
						</>
					)
				}
			</Loaded>
		</Panel>
	);
}

/** A finding, or the one that stands for several with the same change. */
interface Line {
	readonly finding: WindowFinding;
	/** Others with the same change; none for a line of its own. */
	readonly others: number;
	readonly group: string;
}

function FindingTable({ window, findings }: { window: ChangeWindow; findings: readonly WindowFinding[] }) {
	const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
	const names = new Map(window.connections.map(({ connection_id, name }) => [connection_id, name]));
	const lines = groupFindings(findings).flatMap(({ key, members }): Line[] => {
		const [first, ...rest] = members;
		if (first === undefined) return [];
		const lead = { finding: first, others: rest.length, group: key };
		return open.has(key) ? [lead, ...rest.map((finding) => ({ finding, others: 0, group: key }))] : [lead];
	});
	const fold = (key: string) =>
		setOpen((before) => new Set(before.has(key) ? [...before].filter((one) => one !== key) : [...before, key]));
	const columns: Column<Line>[] = [
		{
			key: "class",
			head: "Finding",
			cell: ({ finding: { class: kind, late, foreign, accepted_by, reason } }) => (
				<span className="flex flex-wrap items-center gap-1 py-1">
					<State looks={CLASS_LOOKS} status={kind} />
					{foreign === true && <Pill tone="bad">by another user</Pill>}
					{late && <Pill tone="warn">declared late</Pill>}
					{accepted_by !== null && (
						<Pill tone="neutral" title={reason}>
							accepted by {accepted_by}
						</Pill>
					)}
				</span>
			),
		},
		{ key: "severity", head: "Severity", cell: ({ finding }) => finding.severity },
		{
			key: "object",
			head: "Object",
			className: "w-1/3",
			cell: ({ finding, others, group }) => (
				<span className="flex min-w-56 flex-col items-start py-1">
					{finding.dn === null ? (
						<span>{getItemName(window, finding)}</span>
					) : (
						<ObjectLink dn={finding.dn} connection={finding.connection_id} />
					)}
					<span className="text-muted text-xs">
						{[names.get(finding.connection_id) ?? "", finding.class_name ?? getItemName(window, finding)]
							.filter((text) => text !== "")
							.join(", ")}
					</span>
					{others > 0 && (
						<button
							type="button"
							aria-expanded={open.has(group)}
							className="inline-flex items-center gap-1 rounded-cell text-accent-text text-xs hover:underline"
							onClick={() => fold(group)}
						>
							{open.has(group) ? (
								<ChevronDown size={12} aria-hidden="true" />
							) : (
								<ChevronRight size={12} aria-hidden="true" />
							)}
							the same on {formatPlural(others, "more object")}
						</button>
					)}
				</span>
			),
		},
		{ key: "change", head: "Before and after", cell: ({ finding }) => <ChangeText finding={finding} /> },
		{ key: "who", head: "Who", cell: ({ finding }) => <Who finding={finding} /> },
		{
			key: "verbs",
			head: <span className="sr-only">Actions</span>,
			align: "right",
			sticky: true,
			cell: ({ finding }) => <FindingVerbs window={window} finding={finding} />,
		},
	];
	return <Table label="Findings" columns={columns} rows={lines} getKey={({ finding }) => finding.id} />;
}

const getItemName = (window: ChangeWindow, { item }: WindowFinding): string => {
	const name = item === null ? undefined : window.plan_items[item]?.name;
	return typeof name === "string" ? name : "";
};

const CHANGE_WORDS: Readonly<Record<string, string>> = { added: "is new", deleted: "is gone", modified: "", any: "" };
const SHOWN_ATTRIBUTES = 3;

export function ChangeText({ finding: { change, attributes, detail, dns } }: { finding: WindowFinding }) {
	const shown = change === "modified" ? attributes : [];
	return (
		<span className="flex min-w-0 flex-col py-1">
			{change !== null && CHANGE_WORDS[change] !== "" && <span>{CHANGE_WORDS[change]}</span>}
			{shown.slice(0, SHOWN_ATTRIBUTES).map(({ name, before, after }) => (
				<span key={name} className="min-w-0 break-words">
					<span className="mono">{name}</span> <span className="text-muted">{before ?? "absent"}</span> →{" "}
					{after ?? "absent"}
				</span>
			))}
			{shown.length > SHOWN_ATTRIBUTES && (
				<span className="text-muted text-xs">and {shown.length - SHOWN_ATTRIBUTES} more attributes</span>
			)}
			{detail !== "" && <span className="min-w-0 break-words text-muted text-xs">{detail}</span>}
			{dns.length > 0 && (
				<span className="mono min-w-0 break-words text-xs" title={dns.join("\n")}>
					{dns[0]}
					{dns.length > 1 && ` and ${dns.length - 1} more`}
				</span>
			)}
		</span>
	);
}

function Who({ finding: { changed_by } }: { finding: WindowFinding }) {
	const times = useTimes();
	const [latest] = changed_by;
	if (latest === undefined) return <span className="text-muted">-</span>;
	return (
		<span title={changed_by.map(({ user, at }) => `${user}, ${times.dateTime(at)}`).join("\n")}>
			{latest.user || "Unknown user"}
		</span>
	);
}

/** Classes that a person may accept. */
const ACCEPTABLE: readonly string[] = ["undeclared", "missing", "new", "worse", "minor", "same", "inconclusive"];

function FindingVerbs({ window, finding }: { window: ChangeWindow; finding: WindowFinding }) {
	const may = useMay();
	const [isAccepting, setAccepting] = useState(false);
	const params = { id: window.id, finding_id: finding.id };
	const onError = (error: unknown) => showProblem(error, "The finding");
	const rule = useAction(() => callRoute(changeWindowRoutes.toDriftRule, { params }), {
		stale: ["saved_queries"],
		onError,
		onSuccess: () => showToast("The query does not report it any more."),
	});
	const expect = useAction(() => callRoute(changeWindowRoutes.toExpectation, { params }), {
		stale: ["change_plans"],
		onError,
		onSuccess: () => showToast("The next window of the plan expects it."),
	});
	const canAccept = window.can_sign && finding.accepted_by === null && ACCEPTABLE.includes(finding.class);
	const isDifference = finding.dn !== null && finding.item !== null && finding.class !== "missing";
	const more = isDifference
		? [
				...(may("change_changeplan") ? [{ label: "Expect it in the next window", run: () => expect.mutate() }] : []),
				...(may("change_savedquery") ? [{ label: "Never report it of this query", run: () => rule.mutate() }] : []),
			]
		: [];
	return (
		<span className="inline-flex items-center gap-1">
			{canAccept && <Button onClick={() => setAccepting(true)}>Accept</Button>}
			{more.length > 0 && (
				<Menu
					trigger={<IconButton variant="ghost" icon={Ellipsis} label={`More for ${finding.dn}`} />}
					groups={[more]}
				/>
			)}
			{isAccepting && <AcceptDialog window={window} finding={finding} onClose={() => setAccepting(false)} />}
		</span>
	);
}

interface AcceptProps {
	readonly window: ChangeWindow;
	readonly finding: WindowFinding;
	onClose(): void;
}

function AcceptDialog({ window, finding, onClose }: AcceptProps) {
	const params = { id: window.id, finding_id: finding.id };
	const save = useAction(
		(form: FormData) =>
			callRoute(changeWindowRoutes.accept, { params, body: { reason: String(form.get("reason") ?? "") } }),
		{ stale: ["change_windows"], onSuccess: onClose },
	);
	return (
		<Drafted form="change-window-accept" id={finding.id}>
			<FormDialog
				title="Accept the finding"
				description="The verdict stays: the reason and your name stand beside it."
				action="Accept"
				save={save}
				onClose={onClose}
			>
				{(errors) => (
					<AreaField
						label="Reason"
						name="reason"
						rows={3}
						maxLength={2000}
						required
						data-autofocus
						error={errors.reason}
					/>
				)}
			</FormDialog>
		</Drafted>
	);
}
