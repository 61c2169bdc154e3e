// Ten subscription business models through the official Go SDK, each on a test clock of its own.
package main

import (
	"context"
	"slices"

	. "conformance/shared"

	"github.com/stripe/stripe-go/v85"
)

const (
	hour  = 3600
	day   = 86_400
	april = 1_775_001_600 // 2026-04-01 00:00 UTC
	may   = april + 30*day
	june  = april + 61*day
	july  = april + 91*day
)

var (
	ctx = context.Background()
	sc  = Client
	str = stripe.String[string]
	num = stripe.Int64
)

// shop is a customer with a card on a clock that stands at 1 April.
type shop struct{ clock, customer string }

func open() shop {
	clock := Must(sc.V1TestHelpersTestClocks.Create(ctx, &stripe.TestHelpersTestClockCreateParams{FrozenTime: num(april)})).ID
	return shop{clock, Must(sc.V1Customers.Create(ctx, &stripe.CustomerCreateParams{
		TestClock:       str(clock),
		PaymentMethod:   str("pm_card_visa"),
		InvoiceSettings: &stripe.CustomerCreateInvoiceSettingsParams{DefaultPaymentMethod: str("pm_card_visa")},
	})).ID}
}

func (s shop) order(price string) *stripe.SubscriptionCreateParams {
	return &stripe.SubscriptionCreateParams{
		Customer: str(s.customer), Items: []*stripe.SubscriptionCreateItemParams{{Price: str(price)}},
	}
}

func subscribe(params *stripe.SubscriptionCreateParams) *stripe.Subscription {
	return Must(sc.V1Subscriptions.Create(ctx, params))
}

func (s shop) advance(moments ...int64) {
	for _, moment := range moments {
		clock := Must(sc.V1TestHelpersTestClocks.Advance(ctx, s.clock, &stripe.TestHelpersTestClockAdvanceParams{FrozenTime: num(moment)}))
		for clock.Status == "advancing" {
			clock = Must(sc.V1TestHelpersTestClocks.Retrieve(ctx, s.clock, nil))
		}
		Equal([]any{string(clock.Status), clock.FrozenTime}, []any{"ready", moment})
	}
}

// invoices are the customer's, oldest first.
func (s shop) invoices() []*stripe.Invoice {
	found := All(sc.V1Invoices.List(ctx, &stripe.InvoiceListParams{Customer: str(s.customer)}))
	slices.Reverse(found)
	return found
}

type bill struct {
	reason, status string
	total, paid    int64
}

// billed compares reason, status, total and amount paid of every invoice.
func (s shop) billed(expected ...bill) {
	var found []bill
	for _, i := range s.invoices() {
		found = append(found, bill{string(i.BillingReason), string(i.Status), i.Total, i.AmountPaid})
	}
	Equal(found, expected)
}

func paid(reason string, amount int64) bill { return bill{reason, "paid", amount, amount} }

func price(amount int64, recurring *stripe.PriceCreateRecurringParams) string {
	return Must(sc.V1Prices.Create(ctx, &stripe.PriceCreateParams{
		UnitAmount: num(amount), Currency: str("usd"), Recurring: recurring,
		ProductData: &stripe.PriceCreateProductDataParams{Name: str("Seed box")},
	})).ID
}

func monthly(amount int64) string {
	return price(amount, &stripe.PriceCreateRecurringParams{Interval: str("month")})
}

func lines(invoice *stripe.Invoice) (found []int64) {
	for _, line := range invoice.Lines.Data {
		found = append(found, line.Amount)
	}
	return found
}

func read(made *stripe.Subscription) *stripe.Subscription {
	return Must(sc.V1Subscriptions.Retrieve(ctx, made.ID, nil))
}

func create() {
	s := open()
	made := subscribe(s.order(monthly(1000)))
	Equal([]any{string(made.Status), made.Items.Data[0].CurrentPeriodEnd}, []any{"active", int64(may)})
	s.billed(paid("subscription_create", 1000))
	s.advance(may + 60)
	Equal(string(s.invoices()[1].Status), "draft")
	s.advance(may + 2*hour)
	s.billed(paid("subscription_create", 1000), paid("subscription_cycle", 1000))
	Equal(read(made).Items.Data[0].CurrentPeriodEnd, int64(june))
}

func trial() {
	s := open()
	params := s.order(monthly(1000))
	params.TrialPeriodDays = num(14)
	made := subscribe(params)
	Equal([]any{string(made.Status), made.TrialEnd}, []any{"trialing", int64(april + 14*day)})
	s.billed(paid("subscription_create", 0))
	s.advance(april + 14*day + 2*hour)
	Equal(string(read(made).Status), "active")
	s.billed(paid("subscription_create", 0), paid("subscription_cycle", 1000))
}

func discountWithAnchor() {
	s := open()
	coupon := Must(sc.V1Coupons.Create(ctx, &stripe.CouponCreateParams{PercentOff: stripe.Float64(20), Duration: str("forever")})).ID
	anchor := int64(april + 15*day)
	params := s.order(monthly(1000))
	params.Discounts = []*stripe.SubscriptionCreateDiscountParams{{Coupon: str(coupon)}}
	params.BillingCycleAnchor = num(anchor)
	subscribe(params)
	s.advance(anchor + 2*hour)
	// 15 of the 31 days from 16 March to 16 April: 484, less 97 (prorations include their discounts)
	s.billed(paid("subscription_create", 387), paid("subscription_cycle", 800))
	found := s.invoices()
	Equal([]any{len(found[0].TotalDiscountAmounts), found[1].TotalDiscountAmounts[0].Amount}, []any{0, int64(200)})
}

func oneTimeItem() {
	s := open()
	params := s.order(monthly(1000))
	params.AddInvoiceItems = []*stripe.SubscriptionCreateAddInvoiceItemParams{{Price: str(price(550, nil))}}
	subscribe(params)
	found := lines(s.invoices()[0])
	slices.Sort(found)
	Equal(found, []int64{550, 1000})
	s.advance(may + 2*hour)
	s.billed(paid("subscription_create", 1550), paid("subscription_cycle", 1000))
}

func usageWithMeters() {
	s := open()
	meter := Must(sc.V1BillingMeters.Create(ctx, &stripe.BillingMeterCreateParams{
		DisplayName: str("Calls"), EventName: str("go_calls"),
		DefaultAggregation: &stripe.BillingMeterCreateDefaultAggregationParams{Formula: str("sum")},
	})).ID
	subscribe(s.order(price(7, &stripe.PriceCreateRecurringParams{Interval: str("month"), UsageType: str("metered"), Meter: str(meter)})))
	s.billed()
	s.advance(april + 2*day)
	for _, value := range []string{"5", "8"} {
		Must(sc.V1BillingMeterEvents.Create(ctx, &stripe.BillingMeterEventCreateParams{
			EventName: str("go_calls"), Timestamp: num(april + day),
			Payload: map[string]string{"stripe_customer_id": s.customer, "value": value},
		}))
	}
	summaries := All(sc.V1BillingMeterEventSummaries.List(ctx, &stripe.BillingMeterEventSummaryListParams{
		ID: str(meter), Customer: str(s.customer), StartTime: num(april), EndTime: num(april + 2*day),
	}))
	Equal(summaries[0].AggregatedValue, 13.0)
	s.advance(may + 2*hour)
	s.billed(paid("subscription_cycle", 91))
}

func schedule() {
	s := open()
	phase := func(amount, months int64) *stripe.SubscriptionScheduleCreatePhaseParams {
		return &stripe.SubscriptionScheduleCreatePhaseParams{
			Items:    []*stripe.SubscriptionScheduleCreatePhaseItemParams{{Price: str(monthly(amount))}},
			Duration: &stripe.SubscriptionScheduleCreatePhaseDurationParams{Interval: str("month"), IntervalCount: num(months)},
		}
	}
	made := Must(sc.V1SubscriptionSchedules.Create(ctx, &stripe.SubscriptionScheduleCreateParams{
		Customer: str(s.customer), StartDateNow: stripe.Bool(true), EndBehavior: str("cancel"),
		Phases: []*stripe.SubscriptionScheduleCreatePhaseParams{phase(1000, 1), phase(1500, 2)},
	}))
	s.advance(may+2*hour, june+2*hour, july+2*hour)
	found := s.invoices()
	Equal([]int64{found[0].AmountPaid, found[1].AmountPaid, found[2].AmountPaid, int64(len(found))}, []int64{1000, 1500, 1500, 3})
	Equal(string(read(made.Subscription).Status), "canceled")
	Equal(string(Must(sc.V1SubscriptionSchedules.Retrieve(ctx, made.ID, nil)).Status), "completed")
}

func upgradeWithProration() {
	s := open()
	made := subscribe(s.order(monthly(1000)))
	s.advance(april + 10*day)
	Must(sc.V1Subscriptions.Update(ctx, made.ID, &stripe.SubscriptionUpdateParams{
		Items:             []*stripe.SubscriptionUpdateItemParams{{ID: str(made.Items.Data[0].ID), Price: str(monthly(3000))}},
		ProrationBehavior: str("always_invoice"),
	}))
	Equal(lines(s.invoices()[1]), []int64{-667, 2000})
	s.advance(may + 2*hour)
	s.billed(paid("subscription_create", 1000), paid("subscription_update", 1333), paid("subscription_cycle", 3000))
}

func downgradeAtPeriodEnd() {
	s := open()
	dear, cheap := monthly(3000), monthly(1000)
	made := subscribe(s.order(dear))
	planned := Must(sc.V1SubscriptionSchedules.Create(ctx, &stripe.SubscriptionScheduleCreateParams{FromSubscription: str(made.ID)}))
	now := planned.Phases[0]
	Must(sc.V1SubscriptionSchedules.Update(ctx, planned.ID, &stripe.SubscriptionScheduleUpdateParams{
		EndBehavior: str("release"),
		Phases: []*stripe.SubscriptionScheduleUpdatePhaseParams{
			{
				Items:     []*stripe.SubscriptionScheduleUpdatePhaseItemParams{{Price: str(dear)}},
				StartDate: num(now.StartDate), EndDate: num(now.EndDate),
			},
			{
				Items:    []*stripe.SubscriptionScheduleUpdatePhaseItemParams{{Price: str(cheap)}},
				Duration: &stripe.SubscriptionScheduleUpdatePhaseDurationParams{Interval: str("month"), IntervalCount: num(1)},
			},
		},
	}))
	s.billed(paid("subscription_create", 3000))
	s.advance(may + 2*hour)
	s.billed(paid("subscription_create", 3000), paid("subscription_cycle", 1000))
	Equal(read(made).Items.Data[0].Price.ID, cheap)
}

func cancelWithoutProration() {
	s := open()
	made := subscribe(s.order(monthly(1000)))
	s.advance(april + 10*day)
	gone := Must(sc.V1Subscriptions.Cancel(ctx, made.ID, &stripe.SubscriptionCancelParams{
		Prorate: stripe.Bool(false), InvoiceNow: stripe.Bool(false),
	}))
	Equal([]any{string(gone.Status), gone.EndedAt}, []any{"canceled", int64(april + 10*day)})
	s.advance(may + 2*hour)
	s.billed(paid("subscription_create", 1000))
	Equal(len(All(sc.V1InvoiceItems.List(ctx, &stripe.InvoiceItemListParams{Customer: str(s.customer)}))), 0)
	Equal(Must(sc.V1Customers.Retrieve(ctx, s.customer, nil)).Balance, int64(0))
}

func preview() {
	s := open()
	made := subscribe(s.order(monthly(1000)))
	item, dear, when := made.Items.Data[0].ID, monthly(2500), int64(april+12*day)
	s.advance(when)
	shown := Must(sc.V1Invoices.CreatePreview(ctx, &stripe.InvoiceCreatePreviewParams{
		Subscription: str(made.ID),
		SubscriptionDetails: &stripe.InvoiceCreatePreviewSubscriptionDetailsParams{
			Items:             []*stripe.InvoiceCreatePreviewSubscriptionDetailsItemParams{{ID: str(item), Price: str(dear)}},
			ProrationBehavior: str("always_invoice"),
			ProrationDate:     num(when),
		},
	}))
	Equal([]any{lines(shown), shown.Total}, []any{[]int64{-600, 1500}, int64(900)})
	s.billed(paid("subscription_create", 1000))
	Must(sc.V1Subscriptions.Update(ctx, made.ID, &stripe.SubscriptionUpdateParams{
		Items:             []*stripe.SubscriptionUpdateItemParams{{ID: str(item), Price: str(dear)}},
		ProrationBehavior: str("always_invoice"),
		ProrationDate:     num(when),
	}))
	Equal(lines(s.invoices()[1]), lines(shown))
	s.billed(paid("subscription_create", 1000), paid("subscription_update", 900))
}

func main() {
	Run([]Scenario{
		{Name: "create", Run: create},
		{Name: "trial", Run: trial},
		{Name: "discount_with_anchor", Run: discountWithAnchor},
		{Name: "one_time_item", Run: oneTimeItem},
		{Name: "usage_with_meters", Run: usageWithMeters},
		{Name: "schedule", Run: schedule},
		{Name: "upgrade_with_proration", Run: upgradeWithProration},
		{Name: "downgrade_at_period_end", Run: downgradeAtPeriodEnd},
		{Name: "cancel_without_proration", Run: cancelWithoutProration},
		{Name: "preview", Run: preview},
	})
}
