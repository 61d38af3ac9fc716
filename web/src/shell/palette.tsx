/**
 * The command palette: objects, pages, actions, saved queries, questions, classes, fabrics, recent
 * runs.
 */
import { useNavigate } from "@tanstack/react-router";
import { mimRoutes, savedQueryRoutes } from "@weft/contracts/browser";
import { Command, useCommandState } from "cmdk";
import { Search } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useAnswer } from "../platform/call.ts";
import { getKeys, useKeys } from "../platform/keys.ts";
import { useMay } from "../platform/profile.ts";
import { useTargets } from "../platform/target.ts";
import { Modal } from "../ui/dialog.tsx";
import { Keys } from "../ui/kbd.tsx";
import { switchTarget } from "../ui/target-items.ts";
import { formatJobName, useRecentJobs } from "./jobs.ts";
import { FindVerbs, isForEveryText, PaletteObjects, scoreObject } from "./palette-objects.tsx";
import { Group, Item, useDebounced } from "./palette-parts.tsx";
import { PaletteQuestions } from "./palette-questions.tsx";
import { QueryVerbs, withoutVerb } from "./query-verbs.tsx";
import { useShell } from "./state.ts";

const MOST_CLASSES = 8;
const CLASSES = "Classes";
const closePalette = () => useShell.setState({ palette: false });

export function Palette() {
	const [text, setText] = useState("");
	const [selected, setSelected] = useState("");
	const list = useRef<HTMLDivElement>(null);
	// ">" asks for commands only, "#" for classes only.
	const verbsOnly = text.startsWith(">");
	const classesOnly = text.startsWith("#");
	return (
		<Modal
			label="Search or run a command"
			className="inset-x-0 top-[min(14vh,120px)] bottom-auto mx-auto! w-[min(600px,calc(100vw-24px))] overflow-hidden rounded-dialog"
			onClose={closePalette}
		>
			<Command label="Search or run a command" loop filter={scoreMatch} value={selected} onValueChange={setSelected}>
				<div className="flex items-center gap-2 border-line border-b px-3.5">
					<Search size={15} className="shrink-0 text-muted" aria-hidden="true" />
					<Command.Input
						value={text}
						onValueChange={setText}
						placeholder="Find a MAC, an IP, a VLAN, a name; > for commands, # for classes"
						className="h-11 min-w-0 flex-1 border-0 bg-transparent text-md outline-none!"
					/>
					<Keys combo="escape" />
				</div>
				<Command.List ref={list} className="max-h-[min(420px,60vh)] overflow-y-auto p-1.5 [scroll-padding-block:8px]">
					<Command.Empty className="px-3 py-6 text-center text-muted">Nothing is called that.</Command.Empty>
					{!verbsOnly && !classesOnly && (
						<PaletteObjects text={text.trim()} onSelect={setSelected} onLeave={closePalette} />
					)}
					{!classesOnly && <Verbs />}
					{!classesOnly && <Additions />}
					{!verbsOnly && !classesOnly && <Found text={text} />}
					{!verbsOnly && !classesOnly && (
						<PaletteQuestions
							text={text.trim()}
							onFind={(value) => isClassSelected(list.current) && setSelected(value)}
							onLeave={closePalette}
						/>
					)}
					{!verbsOnly && <Classes text={text} />}
					{!verbsOnly && !classesOnly && <FindVerbs text={text.trim()} onLeave={closePalette} />}
					<FirstSelected list={list} onSelect={setSelected} />
				</Command.List>
			</Command>
		</Modal>
	);
}

/** Results come after the letters that they answer: the first one is what Enter means. */
function FirstSelected({ list, onSelect }: { list: RefObject<HTMLDivElement | null>; onSelect(value: string): void }) {
	const count = useCommandState(({ filtered }) => filtered.count);
	useEffect(() => {
		const current = list.current?.querySelector<HTMLElement>("[cmdk-item][aria-selected=true]");
		if (count === 0 || (current && !isForEveryText(current.dataset.value ?? ""))) return;
		const first = list.current?.querySelector<HTMLElement>("[cmdk-item]");
		if (first?.dataset.value) onSelect(first.dataset.value);
	}, [count, list, onSelect]);
	return null;
}

/** Whether a class is selected, which the model may answer before better results are there. */
function isClassSelected(list: HTMLDivElement | null): boolean {
	const group = list?.querySelector("[cmdk-item][aria-selected=true]")?.closest("[cmdk-group]");
	return group?.querySelector("[cmdk-group-heading]")?.textContent === CLASSES;
}

/** Every word must occur; the earlier and the more of the name, the better. */
function scoreMatch(value: string, search: string, keywords: string[] = []): number {
	const ofObject = scoreObject(value);
	if (ofObject !== null) return ofObject;
	const hay = `${value} ${keywords.join(" ")}`.toLowerCase();
	const words = search.replace(/^[>#]/, "").toLowerCase().split(/\s+/).filter(Boolean);
	let total = 1;
	for (const word of words) {
		const at = hay.indexOf(word);
		if (at < 0) return 0;
		const start = at === 0 || /[\s/_-]/.test(hay[at - 1] ?? "");
		total *= start ? 0.9 : 0.6;
	}
	return total;
}

function Verbs() {
	const state = useKeys();
	const shown = state.commands.filter(({ keysOnly }) => !keysOnly);
	const groups = [...Map.groupBy(shown, ({ group }) => group)];
	// The page's own verbs were registered last and are wanted first.
	return groups.reverse().map(([group, commands]) => (
		<Group key={group} heading={group}>
			{commands.map((command) => (
				<Item
					key={command.id}
					value={`${command.label} ${group}`}
					keys={getKeys(command, state)}
					onSelect={() => {
						closePalette();
						command.run();
					}}
				>
					{command.label}
				</Item>
			))}
		</Group>
	));
}

const ADDITIONS = [
	["New query", "/builder", "add_savedquery"],
	["New request", "/automation/templates", "add_automationrequest"],
	["New check", "/checks/new", "add_check"],
] as const;

/** What can be made on a page of its own, wherever the user is. */
function Additions() {
	const navigate = useNavigate();
	const may = useMay();
	return (
		<Group heading="New">
			{ADDITIONS.filter(([, , permission]) => may(permission)).map(([label, to]) => (
				<Item
					key={to}
					value={label}
					onSelect={() => {
						closePalette();
						void navigate({ to });
					}}
				>
					{label}
				</Item>
			))}
		</Group>
	);
}

function Found({ text }: { text: string }) {
	const navigate = useNavigate();
	const may = useMay();
	const search = useDebounced(withoutVerb(text.trim()));
	const saved = useAnswer(
		savedQueryRoutes.list,
		{ query: { page_size: "8", ...(search === "" ? {} : { search }) } },
		{ enabled: may("view_savedquery"), keepPrevious: true },
	);
	const targets = useTargets();
	const { data: jobs } = useRecentJobs();
	const leave = (go: () => unknown) => () => {
		closePalette();
		void go();
	};
	return (
		<>
			<QueryVerbs queries={saved.data?.results ?? []} search={search} onLeave={closePalette} />
			<Group heading="Saved queries">
				{saved.data?.results.map(({ id, name, version_string, tags_list }) => (
					<Item
						key={id}
						value={`${name} ${id}`}
						// What the service found is shown, whatever field it found it in.
						keywords={[search, ...tags_list]}
						onSelect={leave(() => navigate({ to: "/builder/$id", params: { id } }))}
						aside={version_string}
					>
						{name}
					</Item>
				))}
			</Group>
			<Group heading="Set the default fabric">
				{targets.map(({ id, name, url }) => (
					<Item key={id} value={`${name} ${id}`} onSelect={leave(() => switchTarget(id))} aside={new URL(url).host}>
						{name}
					</Item>
				))}
			</Group>
			<Group heading="Recent runs">
				{jobs?.results.slice(0, 5).map((job) => (
					<Item
						key={job.id}
						value={`${formatJobName(job)} ${job.id}`}
						onSelect={leave(() => navigate({ to: "/runs/$id", params: { id: job.id } }))}
						aside={job.controller_connection_name}
					>
						{formatJobName(job)}
					</Item>
				))}
			</Group>
		</>
	);
}

/** Of the model: from the second letter on. */
function Classes({ text }: { text: string }) {
	const navigate = useNavigate();
	const may = useMay();
	const search = useDebounced(text.replace(/^#/, "").trim());
	const enabled = search.length > 1 && may("view_modelclass");
	const { data } = useAnswer(
		mimRoutes.search,
		{ query: { q: search || "-", type: "class", limit: String(MOST_CLASSES) } },
		{ enabled, keepPrevious: true },
	);
	if (!enabled) return null;
	return (
		<Group heading={CLASSES}>
			{data?.results.map(({ name, display_name = "" }) => (
				<Item
					key={name}
					value={`${name} ${display_name}`}
					keywords={[search]}
					onSelect={() => {
						closePalette();
						void navigate({ to: "/model/$name", params: { name } });
					}}
					aside={display_name}
				>
					<span className="mono">{name}</span>
				</Item>
			))}
		</Group>
	);
}
