/** One class: where it stands, what it has, what it may contain, and what it refers to. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ClassDetail, ControllerConnection } from "@weft/contracts";
import { mimRoutes, planningRoutes } from "@weft/contracts/browser";
import { ListTree, Sigma, Star, Workflow } from "lucide-react";
import { Fragment } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { UserError } from "../../platform/failures.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { NO_TARGET, useTarget } from "../../platform/target.ts";
import { Button, ButtonLink, IconButton } from "../../ui/button.tsx";
import { getTabClass } from "../../ui/classes.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { useLater } from "../../ui/later.ts";
import { Loaded, PageHead, Skeleton } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { AboutClass } from "./about.tsx";
import { useFavorites } from "./favorites.ts";
import { Properties } from "./properties.tsx";
import { Ancestors, Associations, ContainedClasses, Containers } from "./relations.tsx";
import { useTree } from "./state.ts";

const route = getRouteApi("/app/model/$name");

const TABS = [
	["properties", "Properties"],
	["contains", "Contains"],
	["containers", "Contained by"],
	["relations", "Relations"],
	["graph", "Graph"],
	["ancestors", "Ancestors"],
	["about", "About"],
] as const;
type Tab = (typeof TABS)[number][0];
const LONG_MS = 10 * 60_000;
const loadGraph = () => import("./relation-graph.tsx");

export function ClassPage() {
	const { name } = route.useParams();
	const { tab } = route.useSearch();
	const answer = useAnswer(mimRoutes.detail, { params: { class_name: name } }, { staleTime: LONG_MS });
	const shown: Tab = TABS.find(([value]) => value === tab)?.[0] ?? "properties";
	if (answer.data === undefined) {
		return (
			<Unloaded
				what="Class"
				crumbs={[{ label: "Class model", to: "/model" }]}
				error={answer.error}
				gone={`The loaded model has no ${name}.`}
				onRetry={() => void answer.refetch()}
			/>
		);
	}
	return (
		<Loaded answer={answer} lines={8}>
			{(detail) => (
				<>
					<Head detail={detail} tab={shown} />
					<div className="px-5 py-3 max-sm:px-4">
						{shown === "properties" && <Properties detail={detail} />}
						{shown === "contains" && <ContainedClasses name={detail.name} />}
						{shown === "containers" && <Containers name={detail.name} />}
						{shown === "relations" && <Associations detail={detail} />}
						{shown === "graph" && <Graph detail={detail} />}
						{shown === "ancestors" && <Ancestors detail={detail} />}
						{shown === "about" && <AboutClass detail={detail} />}
					</div>
				</>
			)}
		</Loaded>
	);
}

function Graph({ detail: { name, display_name } }: { detail: ClassDetail }) {
	const [{ as }, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const part = useLater(loadGraph, true);
	if (part === null) return <Skeleton lines={8} />;
	return (
		<part.RelationGraph
			key={name}
			name={name}
			label={display_name}
			asList={as === "list"}
			onAsList={(list) => set({ as: list ? "list" : undefined })}
		/>
	);
}

function Head({ detail, tab }: { detail: ClassDetail; tab: Tab }) {
	const { name, display_name, properties, sub_classes } = detail;
	const may = useMay();
	const navigate = route.useNavigate();
	const favorites = useFavorites();
	const favorite = favorites.isFavorite(name);
	const canQuery = may("add_savedquery");
	useCommands([
		...(canQuery
			? [
					{
						id: "model.query",
						label: `New query from ${name}`,
						group: "Class",
						keys: "c",
						run: () => void navigate({ to: "/builder", search: { class: name } }),
					},
				]
			: []),
		...(favorites.mayChange
			? [
					{
						id: "model.favorite",
						label: favorite ? `${name} is no favorite any more` : `Make ${name} a favorite`,
						group: "Class",
						keys: "f",
						run: () => favorites.turn(name),
					},
				]
			: []),
	]);
	return (
		<>
			<PageHead
				ruled
				name={name}
				title={
					<>
						<span className="font-mono">{name}</span> <CopyButton text={name} label="Copy the name" />
					</>
				}
				crumbs={[{ label: "Class model", to: "/model" }]}
				facts={
					<>
						<span>{display_name}</span>
						{detail.is_abstract && (
							<Pill tone="violet" title="Abstract: it has no objects">
								Abstract
							</Pill>
						)}
						{detail.is_deprecated && <Pill tone="warn">Deprecated</Pill>}
						{detail.relation && <Pill tone="accent">Relation</Pill>}
						<Pill>{detail.is_configurable ? "Configurable" : "Read-only"}</Pill>
						{sub_classes.length > 0 && <span>{formatPlural(sub_classes.length, "sub class", "sub classes")}</span>}
						{detail.description && <span className="w-full max-w-[80ch]">{detail.description}</span>}
						{detail.dn_format && <DnFormat text={detail.dn_format} more={detail.dn_format_count - 1} />}
					</>
				}
				actions={
					<>
						{favorites.mayChange && (
							<Button icon={Star} aria-pressed={favorite} onClick={() => favorites.turn(name)}>
								{favorite ? "A favorite" : "Favorite"}
							</Button>
						)}
						{!detail.is_abstract && <ShowInTree name={name} />}
						{!detail.is_abstract && <InstanceCount key={name} name={name} />}
						<CopyAs call={() => ({ route: mimRoutes.detail, params: { class_name: name } })} />
						{canQuery && (
							<ButtonLink variant="primary" icon={Workflow} to="/builder" search={{ class: name }}>
								New query
							</ButtonLink>
						)}
					</>
				}
			/>
			<nav aria-label="About the class" className="flex gap-1 overflow-x-auto border-line border-b bg-surface px-4">
				{TABS.map(([value, label]) => (
					<Link
						key={value}
						from="/model/$name"
						search={(search: Record<string, string | undefined>) => ({
							...search,
							tab: value === "properties" ? undefined : value,
							p: undefined,
						})}
						aria-current={tab === value ? "page" : undefined}
						className={getTabClass(tab === value)}
					>
						{label}
						{value === "properties" && <span className="num ml-1 text-muted">{properties.length}</span>}
					</Link>
				))}
			</nav>
		</>
	);
}

/** Opens the branches of the tree down to the class. */
function ShowInTree({ name }: { name: string }) {
	const navigate = route.useNavigate();
	const find = useAction(() => callRoute(mimRoutes.ancestors, { params: { class_name: name } }), {
		onSuccess(steps) {
			if (steps.length === 0) return showToast(`There is no path from the root to ${name}.`);
			useTree.getState().reveal(steps.map((step) => step.name));
			// A search or a package stands where the tree is.
			void navigate({ search: (before) => ({ ...before, q: undefined, package: undefined }), replace: true });
		},
		onError: (error: unknown) => showProblem(error),
	});
	return (
		<IconButton label="Show in the tree" icon={ListTree} busy={find.isPending} onClick={() => find.mutate(undefined)} />
	);
}

/** How many objects of the class the controller has. On demand: it costs a request. */
function InstanceCount({ name }: { name: string }) {
	const may = useMay();
	const target = useTarget();
	const ask = useAction(
		async (controller: ControllerConnection | undefined) => {
			if (controller === undefined) throw new UserError(NO_TARGET);
			const connection_id = controller.id;
			const node = { id: name, type: "classNode" as const, data: { className: name } };
			const flow_data = { nodes: [node], edges: [] };
			return callRoute(planningRoutes.preview, { body: { flow_data, node_id: name, connection_id } });
		},
		{ onError: (error: unknown) => showProblem(error) },
	);
	if (!may("execute_savedquery")) return null;
	if (ask.data !== undefined && target !== undefined && ask.variables?.id === target.id)
		return (
			<span className="num self-center text-muted" role="status">
				{formatPlural(ask.data.count, "object")} on {target.name}
			</span>
		);
	return (
		<Button icon={Sigma} busy={ask.isPending} onClick={() => ask.mutate(target)}>
			{target ? `Count on ${target.name}` : "Count"}
		</Button>
	);
}

/** The form of its names; what stands in braces is of each object. */
function DnFormat({ text, more }: { text: string; more: number }) {
	return (
		<span className="flex w-full min-w-0 items-center gap-2 text-fg">
			<span className="sr-only">DN:</span>
			<span className="mono min-w-0 break-all">
				{text.split(/(\{[^}]*\})/).map((part, index) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change places
					<Fragment key={index}>
						{part.startsWith("{") ? <b className="font-medium text-violet">{part}</b> : part}
					</Fragment>
				))}
			</span>
			<CopyButton text={text} label="Copy the DN format" />
			{more > 0 && <span className="shrink-0 text-muted text-xs">and {formatCount(more)} more</span>}
		</span>
	);
}
