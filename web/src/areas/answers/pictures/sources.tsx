/** The snapshots of a picture with their age, and the classes that have none yet. */
import { Link } from "@tanstack/react-router";
import type { PictureClass, PictureKind, TopologyPicture } from "@weft/contracts";
import { PICTURE_LIMITS, PICTURE_QUESTIONS } from "@weft/contracts/browser";
import { Camera } from "lucide-react";
import type { ReactNode } from "react";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { useMay, useTimes } from "../../../platform/profile.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Banner, Panel, ProblemBanner } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { listCapturingQueries, listLacking, useCapture } from "./capture-classes.ts";

/** Names of classes in the interface. */
const CLASS_NAMES: Readonly<Record<string, string>> = {
	fabricNode: "Switches and controllers",
	fabricLink: "Links",
	topSystem: "Systems",
	fvCtx: "VRFs",
	fvBD: "Bridge domains",
	fvRsCtx: "VRFs of bridge domains",
	fvAEPg: "EPGs",
	fvRsBd: "Bridge domains of EPGs",
	vzBrCP: "Contracts",
	fvRsProv: "Providers of contracts",
	fvRsCons: "Consumers of contracts",
	l3extInstP: "External networks",
	l3extRsEctx: "VRFs of external networks",
	vzRsAnyToProv: "VRFs that provide contracts",
	vzRsAnyToCons: "VRFs that consume contracts",
};
const nameClass = (name: string): string => CLASS_NAMES[name] ?? name;

const REASONS: Readonly<Record<NonNullable<PictureClass["reason"]>, string>> = {
	filter: "its query filters",
	option: "its query has a limit or another option",
	parent: "its query reads it only below another class",
	values: "its query takes values of an earlier stage",
	sent: "a client sent the snapshot",
};

const PARTS: Readonly<Record<TopologyPicture["truncated"][number], string>> = {
	nodes: `Only ${formatCount(PICTURE_LIMITS.nodes)} nodes are drawn`,
	edges: `Only ${formatCount(PICTURE_LIMITS.edges)} links are drawn`,
	objects: `Only ${formatCount(PICTURE_LIMITS.objects)} objects of the snapshots were read`,
	changes: `Only the last ${formatCount(PICTURE_LIMITS.changes)} changed objects are marked`,
	checks: `Only ${formatCount(PICTURE_LIMITS.checks)} failing checks are marked`,
};

interface LackingProps {
	readonly kind: PictureKind;
	readonly picture: TopologyPicture;
}

/** Names the classes that the picture lacks, with a button that takes their snapshots. */
export function Lacking({ kind, picture }: LackingProps) {
	const lacking = listLacking(picture.classes);
	const missing = lacking.filter(({ status }) => status === "missing");
	const partial = lacking.filter(({ status }) => status === "partial");
	if (lacking.length === 0) return null;
	const detail: ReactNode[] = [];
	if (missing.length > 0)
		detail.push(
			`${missing.map(({ class_name }) => `${nameClass(class_name)} (${class_name})`).join(", ")}: ` +
				`no snapshot that you see has ${missing.length === 1 ? "this class" : "these classes"}` +
				`${picture.at === null ? "" : " at this moment"}.`,
		);
	if (partial.length > 0)
		detail.push(
			partial
				.map(
					({ class_name, reason }) =>
						`${nameClass(class_name)} (${class_name}) may be incomplete: ${reason === null ? "" : REASONS[reason]}.`,
				)
				.join(" "),
		);
	return (
		<Banner
			tone="warn"
			title={missing.length === picture.classes.length ? "There is nothing to draw yet." : "The picture is incomplete."}
			detail={detail.join(" ")}
			action={<CaptureAction kind={kind} picture={picture} lacking={lacking} />}
		/>
	);
}

interface CaptureProps extends LackingProps {
	readonly lacking: readonly PictureClass[];
}

function CaptureAction({ kind, picture: { connection, at }, lacking }: CaptureProps) {
	const may = useMay();
	const capture = useCapture(kind, connection.id);
	const known = listCapturingQueries(lacking);
	const question = (
		<ButtonLink to="/gallery" search={{ key: PICTURE_QUESTIONS[kind] }}>
			Show the question
		</ButtonLink>
	);
	if (at !== null) return <span className="text-fg">A snapshot of a past moment cannot be made any more.</span>;
	if (!may("execute_savedquery") || (known === null && !may("add_savedquery")))
		return (
			<>
				<span className="text-fg">Ask a person who may save and run queries to take snapshots of this question.</span>
				{question}
			</>
		);
	return (
		<>
			<Button variant="primary" icon={Camera} busy={capture.isPending} onClick={() => capture.mutate(lacking)}>
				Take snapshots of these classes
			</Button>
			{question}
			{capture.error !== null && <ProblemBanner error={capture.error} />}
		</>
	);
}

/** Names the parts that a limit cut, and says whether changes are still being read. */
export function Cuts({ picture }: { readonly picture: TopologyPicture }) {
	const { truncated, are_changes_pending, nodes_total, edges_total } = picture;
	return (
		<>
			{truncated.length > 0 && (
				<Banner
					tone="warn"
					title="The picture is cut."
					detail={truncated
						.map((part) => {
							const total = part === "nodes" ? nodes_total : part === "edges" ? edges_total : null;
							return `${PARTS[part]}${total === null ? "" : ` of ${formatCount(total)}`}.`;
						})
						.join(" ")}
				/>
			)}
			{are_changes_pending && (
				<Banner tone="info" title="Changes of new snapshots are still being read." detail="Marks may be missing." />
			)}
		</>
	);
}

interface SourcesProps {
	readonly picture: TopologyPicture;
}

/** A line per class: its snapshot, its age, and whether it may be incomplete. */
export function Sources({ picture: { classes } }: SourcesProps) {
	const times = useTimes();
	const may = useMay();
	const columns: Column<PictureClass>[] = [
		{
			key: "class",
			head: "Class",
			cell: ({ class_name }) => (
				<>
					{nameClass(class_name)} <span className="mono text-muted">{class_name}</span>
				</>
			),
		},
		{
			key: "status",
			head: "Snapshot",
			cell: ({ status, reason, source }) => {
				if (source === null) return <Pill tone="warn">Missing</Pill>;
				const count = formatPlural(source.objects, "object");
				return status === "complete" ? (
					<span>{count}</span>
				) : (
					<span>
						<Pill tone="warn">May be incomplete</Pill> {count}, {reason === null ? "" : REASONS[reason]}
					</span>
				);
			},
		},
		{
			key: "age",
			head: "Seen",
			cell: ({ source }) =>
				source && <span title={times.dateTime(source.seen_at)}>{times.relative(source.seen_at)}</span>,
		},
		{
			key: "taken",
			head: "Taken",
			cell: ({ source }) =>
				source && (
					<Link
						to="/time-machine/snapshots/$id"
						params={{ id: source.snapshot_id }}
						className="text-accent-text hover:underline"
					>
						{times.dateTime(source.taken_at)}
					</Link>
				),
		},
		{
			key: "query",
			head: "Query",
			className: "grow",
			cell: ({ source }) => source?.saved_query.name,
		},
	];
	const queries = [
		...new Map(classes.flatMap(({ source }) => (source ? [[source.saved_query.id, source.saved_query]] : []))),
	];
	return (
		<Panel
			title="Snapshots of this picture"
			aside={
				may("add_scheduledtask") &&
				queries.map(([id, { name }]) => (
					<ButtonLink key={id} to="/schedules" search={{ new: id }}>
						<span className="max-w-60 truncate">Schedule {name}</span>
					</ButtonLink>
				))
			}
		>
			<Table
				label="Snapshots of this picture"
				columns={columns}
				rows={classes}
				getKey={({ class_name }) => class_name}
			/>
		</Panel>
	);
}
