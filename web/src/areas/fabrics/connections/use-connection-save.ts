/** The fields of a connection that are state, and its save, with a test afterwards. */
import type { ControllerConnection } from "@weft/contracts";
import { connectionRoutes } from "@weft/contracts/browser";
import { type RefObject, useRef, useState } from "react";
import { callRoute, invalidateAreas } from "../../../platform/call.ts";
import { useSaveGuard } from "../../../platform/conflict.ts";
import { useDraft, useDraftState } from "../../../platform/draft-state.ts";
import { useMay } from "../../../platform/profile.ts";
import { formatLines, withScheme } from "./addresses.ts";
import { type TestOutcome, testConnection } from "./outcome.ts";

export type ConnectionValues = ReturnType<typeof useConnectionValues>;

/** Each field as state: its value, and the function that sets it. */
export function useConnectionValues(connection: ControllerConnection | null) {
	return {
		method: useDraftState("auth_method", connection?.auth_method ?? "password"),
		verify: useDraftState("verify_ssl", connection?.verify_ssl ?? true),
		alternates: useDraftState("alternate_urls", () => connection?.alternate_urls.join("\n") ?? ""),
		isOneFabric: useDraftState("is_one_fabric_confirmed", connection?.is_one_fabric_confirmed ?? false),
		isPublic: useDraftState("is_public", connection?.is_public ?? false),
		/** Fingerprints of trusted certificates, with commas between them. */
		pins: useDraftState("pinned_certificate", connection?.pinned_certificate ?? ""),
	};
}

export interface OpenedConnection {
	/** Null: a new one. */
	readonly connection: ControllerConnection | null;
	onClose(): void;
	/** Saved for the first time: the drawer goes on with it. */
	onMade(id: string): void;
}

export type ConnectionSave = ReturnType<typeof useConnectionSave>;

export function useConnectionSave(
	{ connection, onClose, onMade }: OpenedConnection,
	values: ConnectionValues,
	form: RefObject<HTMLFormElement | null>,
) {
	const draft = useDraft();
	const isAdmin = useMay()("admin");
	const [busy, setBusy] = useState<"save" | "test" | null>(null);
	const [error, setError] = useState<unknown>(null);
	const [outcome, setOutcome] = useState<TestOutcome | null>(null);
	const lastSave = useRef<"save" | "test">("test");
	const guard = useSaveGuard(connection, ({ id }) => callRoute(connectionRoutes.detail, { params: { id } }));
	const [isOneFabric] = values.isOneFabric;
	const [pins] = values.pins;
	/** @param trusted fingerprints in place of those of the field, which shows them later */
	const save = async (then: "save" | "test", trusted = pins) => {
		if (!form.current?.reportValidity()) return;
		lastSave.current = then;
		setBusy(then);
		setError(null);
		setOutcome(null);
		try {
			const shared = {
				...readConnectionForm(new FormData(form.current), values.method[0]),
				is_public: values.isPublic[0],
				pinned_certificate: trusted,
			};
			const body = isAdmin
				? { ...shared, is_one_fabric_confirmed: isOneFabric && shared.alternate_urls.length > 0 }
				: shared;
			await guard.assertUnchanged(body);
			const saved = connection
				? await callRoute(connectionRoutes.update, { params: { id: connection.id }, body })
				: await callRoute(connectionRoutes.create, { body });
			draft?.drop();
			guard.accept(saved);
			await invalidateAreas("connections");
			if (then === "save") return onClose();
			if (connection === null) onMade(saved.id);
			setOutcome(await testConnection(saved));
			await invalidateAreas("connections");
		} catch (failure) {
			setError(failure);
		} finally {
			setBusy(null);
		}
	};
	return {
		busy,
		error,
		/** Of the test; null: not tested with the present fields. */
		outcome,
		forgetOutcome: () => setOutcome(null),
		save,
		saveAgain: () => void save(lastSave.current),
	};
}

function readConnectionForm(form: FormData, method: ControllerConnection["auth_method"]) {
	const text = (name: string) => String(form.get(name) ?? "");
	/** Empty: the stored one stays. */
	const secret = <Name extends string>(name: Name) =>
		(text(name) === "" ? {} : { [name]: text(name) }) as { readonly [K in Name]?: string };
	const login =
		method === "password"
			? { username: text("username"), ...secret("password") }
			: { certificate_dn: text("certificate_dn"), ...secret("private_key"), ...secret("private_key_passphrase") };
	return {
		name: text("name"),
		url: withScheme(text("url")),
		alternate_urls: formatLines(text("alternate_urls")),
		auth_method: method,
		...login,
		timeout: Number(text("timeout") || 30),
		verify_ssl: form.get("verify_ssl") === "on",
		is_active: form.get("is_active") === "on",
		description: text("description"),
	};
}
