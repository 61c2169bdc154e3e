/** Who is signed in, for every page. */
import { createContext, useCallback, useContext, useEffect, useState, type ReactNode } from "react";

import type { Me } from "../shared/types.ts";
import { ApiError, get } from "./api.ts";

interface Session {
  /** `undefined` while nobody knows yet, `null` when nobody is signed in. */
  me: Me | null | undefined;
  refresh: () => Promise<void>;
}

const Context = createContext<Session>({ me: undefined, refresh: async () => {} });

export function SessionProvider({ children }: { children: ReactNode }) {
  const [me, setMe] = useState<Me | null | undefined>(undefined);
  const refresh = useCallback(async () => {
    try {
      setMe(await get<Me>("/me"));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) console.warn("who is signed in could not be asked");
      setMe(null);
    }
  }, []);
  useEffect(() => void refresh(), [refresh]);
  return <Context value={{ me, refresh }}>{children}</Context>;
}

export const useSession = () => useContext(Context);
