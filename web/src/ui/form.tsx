/**
 * Forms that keep typed input until it is saved or discarded. `Drafted` is around a form and its
 * verbs; named fields inside `Form` are kept as they are, and state by `useDraftState`.
 */
import {
	type ComponentProps,
	Fragment,
	type ReactNode,
	useCallback,
	useEffect,
	useMemo,
	useState,
	useSyncExternalStore,
} from "react";
import { DraftContext, drafts, useDraft } from "../platform/draft-state.ts";
import { type Draft, openDraft } from "../platform/drafts.ts";
import { useProfile, useTimes } from "../platform/profile.ts";
import { session } from "../platform/weft.ts";
import { Button } from "./button.tsx";
import { Banner } from "./page.tsx";
import { showToast } from "./toast.tsx";

interface DraftedProps {
	/** Name of the form, such as "schedule". */
	readonly form: string;
	/** Id of the edited thing, or what a new one begins with. */
	readonly id?: string | number | null | undefined;
	/** Version of the edited thing, where the service compares versions. */
	readonly base?: string | null;
	readonly children: ReactNode;
}

/** The draft of a form. Without a user there is nothing to show. */
export function Drafted({ form, id, base = null, children }: DraftedProps) {
	const userId = useProfile()?.id;
	if (userId === undefined) return null;
	return (
		<Kept key={userId} name={`${userId}.${form}.${id ?? "new"}`} base={base}>
			{children}
		</Kept>
	);
}

function Kept({ name, base, children }: Pick<DraftedProps, "children"> & { name: string; base: string | null }) {
	const [{ draft, attempt }, setState] = useState(() => ({ draft: openDraft(drafts, name, base), attempt: 0 }));
	useEffect(() => draft.rename(name, base), [draft, name, base]);
	useEffect(
		() => () => {
			const isSignedIn = session.state().status === "in";
			if (isSignedIn && !draft.isEmpty()) showToast("Unsaved input is kept. Open the form again to continue.");
		},
		[draft],
	);
	const open = useMemo(
		() => ({
			...draft,
			discard() {
				draft.drop();
				setState({ draft: openDraft(drafts, name, base), attempt: attempt + 1 });
			},
		}),
		[draft, attempt, name, base],
	);
	return (
		<DraftContext value={open}>
			<Fragment key={attempt}>{children}</Fragment>
		</DraftContext>
	);
}

/** Says that unsaved input was restored, with the verb that discards it. */
export function RestoredDraft() {
	const draft = useDraft();
	const times = useTimes();
	const at = useSyncExternalStore(draft?.subscribe ?? subscribeToNothing, () => draft?.restoredAt() ?? null);
	const isOutdated = useSyncExternalStore(draft?.subscribe ?? subscribeToNothing, () => draft?.isOutdated() === true);
	if (draft === null || at === null) return null;
	const isToday = times.getDay(at) === times.getDay(Date.now());
	return (
		<Banner
			tone={isOutdated ? "warn" : "info"}
			title={`Unsaved input from ${isToday ? times.time(at) : times.dateTime(at)} was restored.`}
			detail={
				isOutdated && "Its fields were changed and saved by others since then. Saving would replace their changes."
			}
			action={
				<Button data-minor onClick={draft.discard}>
					Discard it
				</Button>
			}
		/>
	);
}

const subscribeToNothing = () => () => {};

type FormProps = Omit<ComponentProps<"form">, "ref"> & {
	readonly ref?: { current: HTMLFormElement | null };
};

/** A form whose named fields are kept in the draft around it, except secrets and files. */
export function Form({ ref, children, ...form }: FormProps) {
	const draft = useDraft();
	const attach = useCallback(
		(element: HTMLFormElement) => {
			if (ref) ref.current = element;
			const stop = draft === null ? null : keepInputs(element, draft);
			return () => {
				stop?.();
				if (ref) ref.current = null;
			};
		},
		[draft, ref],
	);
	return (
		<form {...form} ref={attach}>
			<RestoredDraft />
			{children}
		</form>
	);
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Never stored. A password that is shown is of the type text: `data-secret` marks it. */
const UNKEPT = "[data-secret], [type=password], [type=file], [type=hidden], [autocomplete=one-time-code]";

const isToggle = (control: Control): control is HTMLInputElement => /^(checkbox|radio)$/.test(control.type);
const findControls = (form: HTMLFormElement): Control[] =>
	[...form.querySelectorAll<Control>("input[name], textarea[name], select[name]")].filter(
		(control) => !control.matches(UNKEPT),
	);
const nameField = (control: Control): string =>
	`input.${isToggle(control) ? `${control.name}=${control.value}` : control.name}`;
const readControl = (control: Control): string | boolean => (isToggle(control) ? control.checked : control.value);

function fillControl(control: Control, value: string | boolean): void {
	if (readControl(control) === value) return;
	if (isToggle(control)) control.checked = value === true;
	else control.value = String(value);
}

/** Restores named fields as they appear, and stores them while the user types. */
function keepInputs(form: HTMLFormElement, draft: Draft): () => void {
	const known = new WeakSet<Control>();
	const restore = (control: Control) => fillControl(control, draft.begin(nameField(control), readControl(control)));
	const restoreNew = () => {
		for (const control of findControls(form)) {
			if (known.has(control)) continue;
			known.add(control);
			restore(control);
		}
	};
	const store = () => {
		for (const control of findControls(form)) draft.keep(nameField(control), readControl(control));
	};
	// Fields that depend on others, and options that are fetched, appear later.
	const observer = new MutationObserver((changes) => {
		restoreNew();
		for (const { target } of changes) if (target instanceof HTMLSelectElement && known.has(target)) restore(target);
	});
	restoreNew();
	observer.observe(form, { childList: true, subtree: true });
	form.addEventListener("input", store);
	form.addEventListener("change", store);
	return () => {
		observer.disconnect();
		form.removeEventListener("input", store);
		form.removeEventListener("change", store);
	};
}

/** Leaves a form and discards its input, with a way back. Escape and the cross keep it. */
export function CancelButton({ label = "Cancel", onClose }: { readonly label?: string; onClose(): void }) {
	const draft = useDraft();
	return (
		<Button
			onClick={() => {
				if (draft?.isEmpty() === false) {
					const restore = draft.drop();
					showToast("The unsaved input is discarded.", { label: "Undo", run: restore });
				}
				onClose();
			}}
		>
			{label}
		</Button>
	);
}
